import type { StoredMessage, UserMessage } from './message.js';

/** A message without its parent, which is set when it is appended. */
export type Draft<M extends StoredMessage = StoredMessage> = M extends StoredMessage ? Omit<M, 'parentUuid'> : never;

/** Creates every message of type `user`. Its parent is set when it is appended. */
export function userMessage(fields: Omit<UserMessage, 'type' | 'parentUuid'>): Omit<UserMessage, 'parentUuid'> {
  return { type: 'user', ...fields };
}
