import { MEMORY_TOOL } from '../../../packages/protocol/message/tool-definition.js';
import type { SessionState } from './state.js';

/**
 * The user whose memory the running turn may use: the owner of the session, if they wrote the prompt and no other user has a grant for the session or reads it in an emergency. `now`: milliseconds since 1970. Null: none. What the memory tool answers is a message of the session, which
 * everybody who may read the session reads. Links are not part of the state; see OfferTools. A helper has no memory: its parent may be read by others.
 */
export function memoryOwner(
  { ownerId, parent, turn, prompts, grants, readers }: Pick<SessionState, 'ownerId' | 'parent' | 'turn' | 'prompts' | 'grants' | 'readers'>,
  now: number,
): string | null {
  if (ownerId === null || parent !== null || turn === null || prompts.get(turn.promptId)?.by !== ownerId) return null;
  if ([...readers.values()].some((until) => until > now)) return null;
  return [...grants.keys()].every((principal) => principal === `user:${ownerId}`) ? ownerId : null;
}

/** The user whose memory the model of the running turn has: it was offered the tool, and the memory may still be used. Null: it has none. */
export const memoryInUse = (state: Parameters<typeof memoryOwner>[0] & Pick<SessionState, 'serverTools'>, now: number): string | null =>
  state.serverTools.some(({ type }) => type === MEMORY_TOOL.type) ? memoryOwner(state, now) : null;
