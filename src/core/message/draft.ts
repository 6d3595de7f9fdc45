import type { StoredMessage } from './message.js';

/** A message before it has its place: the decision hangs it under the head. */
export type Draft<M extends StoredMessage = StoredMessage> = M extends StoredMessage ? Omit<M, 'parentUuid'> : never;
