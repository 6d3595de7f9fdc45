import type { UserMessage } from './message.js';

/** Creates every message of type `user`. Its parent is set when it is appended. */
export function userMessage(fields: Omit<UserMessage, 'type' | 'parentUuid'>): Omit<UserMessage, 'parentUuid'> {
  return { type: 'user', ...fields };
}
