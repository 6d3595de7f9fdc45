import { DomainError } from '../errors.js';
import type { ForkedFrom, SessionSettings } from '../session/events.js';
import { permissionModeAt } from './rewind.js';
import { emptyState, type SessionState } from '../session/state.js';
import { branch, isOnPath } from '../session/tree.js';

/**
 * The last message a fork shares when nobody names one: the newest of the path; while a turn runs, the last one before it, since half a turn is no
 * conversation to go on with.
 */
export function defaultForkPoint(state: SessionState): string | null {
  const first = state.turn?.messages[0];
  return first === undefined ? state.head : (state.messages.get(first)?.message.parentUuid ?? null);
}

/** Refuses a message that is not part of the conversation now. */
export function requireForkPoint(state: SessionState, at: string): void {
  if (isOnPath(state, at)) return;
  const message = state.messages.has(at)
    ? 'That message is not on the path in force, because a rewind took it out; restore that rewind first, or fork at another message.'
    : 'That message is not part of this session.';
  throw new DomainError('message_not_on_path', message, [{ pointer: '/at', text: 'names no message on the path' }]);
}

/** The settings a fork begins with: the session's, with the permission mode of that point. */
export function forkSettings(state: SessionState, at: string | null, title: string | null): SessionSettings {
  const permissionMode = at === state.head ? state.settings.permissionMode : permissionModeAt(state, at);
  return { ...state.settings, title: title ?? state.settings.title, permissionMode };
}

/**
 * What a fork's log goes on from: of the session it was made of the branch down to that message, with what its prompts were and what its answers were made
 * behind. A copy of the maps, linear in the branch; the messages themselves are shared. What the session does later is of no effect: nothing in it changes.
 */
export function inherited(parent: SessionState, { at }: Pick<ForkedFrom, 'at'>): SessionState {
  const state = emptyState();
  for (const record of branch(parent, at, null)) {
    const { message, promptId } = record;
    state.messages.set(message.uuid, { ...record, seq: 0 });
    const prompt = promptId === null ? undefined : parent.prompts.get(promptId);
    if (promptId !== null && prompt) state.prompts.set(promptId, { ...prompt });
    const front = message.type === 'assistant' && message.requestId !== undefined ? parent.requestPrefixes.get(message.requestId) : undefined;
    if (message.type === 'assistant' && message.requestId !== undefined && front) state.requestPrefixes.set(message.requestId, front);
  }
  state.head = at;
  if (at !== null && !state.messages.has(at)) throw new Error('a fork names a message that the session it was made of does not have');
  return state;
}
