import type { UserMessage } from './message.js';

/** Makes every message of role user in the system; a message that did not pass here does not exist. Its place in the tree is given when it is appended. */
export function userMessage(fields: Omit<UserMessage, 'type' | 'parentUuid'>): Omit<UserMessage, 'parentUuid'> {
  return { type: 'user', ...fields };
}
