import type { StoredMessage } from './message.js';

/** A message without its parent, which is set when it is appended. */
export type Draft<M extends StoredMessage = StoredMessage> = M extends StoredMessage ? Omit<M, 'parentUuid'> : never;
