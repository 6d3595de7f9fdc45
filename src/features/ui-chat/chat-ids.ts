import { createHash } from 'node:crypto';
import { uuidFromSha256 } from '../../../packages/protocol/message/ids.js';
import type { SessionState } from '../../session/state/state.js';
import { isOnPath } from '../../session/state/tree.js';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The id itself when it is a uuid: chats and messages of the server are named by theirs. */
export const uuidIn = (id: string): string | null => (UUID.test(id) ? id.toLowerCase() : null);

/** The session of a chat that the client named. Derived with the user: two users who name a chat alike have two sessions. */
export function sessionIdOfChat({ tenantId, userId }: { readonly tenantId: string; readonly userId: string }, chatId: string): string {
  return derived('chat', tenantId, userId, chatId);
}

/** The uuid of a prompt's message that the client named. */
export function uuidOfMessage(sessionId: string, messageId: string): string {
  return uuidIn(messageId) ?? derived('message', sessionId, messageId);
}

/** A command id that is the same for every repeat of a request. */
export function commandIdOf(sessionId: string, ...request: readonly string[]): string {
  return derived('command', sessionId, ...request);
}

export function sha256(...parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

function derived(...parts: readonly string[]): string {
  return uuidFromSha256(sha256('ui', ...parts));
}

/** The prompt that stands in the current conversation for a message of the client: edits and regenerations have replaced it, perhaps several times. Null: none does. */
export function currentPrompt(state: SessionState, uuid: string): string | null {
  const replacements = new Map([...state.rewinds.values()].map(({ data }) => [data.before, data.replacedBy]));
  const seen = new Set<string>();
  for (let at: string | undefined = uuid; at !== undefined && !seen.has(at); at = replacements.get(at)) {
    if (isOnPath(state, at)) return at;
    seen.add(at);
  }
  return null;
}
