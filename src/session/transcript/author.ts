import type { StoredMessage } from '../../../packages/protocol/message/message.js';

/** Who wrote a message. `user`: a person, `id` is the user's id; `model`: `id` is the model; `system`: the server, a tool or a hook. */
export interface Author {
  readonly kind: 'user' | 'model' | 'system';
  readonly id?: string;
}

const SYSTEM: Author = { kind: 'system' };

/** `userId`: the user recorded for the message, if any. */
export function authorOf(message: StoredMessage, userId: string | null): Author {
  switch (message.type) {
    case 'assistant':
      return message.isApiErrorMessage ? SYSTEM : { kind: 'model', id: message.message.model };
    case 'user':
    case 'tombstone':
      return userId === null ? SYSTEM : { kind: 'user', id: userId };
    case 'system':
      return message.subtype === 'local_command' && userId !== null ? { kind: 'user', id: userId } : SYSTEM;
    default:
      return SYSTEM;
  }
}
