import { DomainError } from '../../../packages/protocol/errors.js';
import type { ForkedFrom, SessionSettings } from '../../../packages/protocol/events/events.js';
import { permissionModeAt } from './rewind.js';
import { emptyState, type SessionState } from '../state/state.js';
import { bound } from '../state/helper.js';
import { branch, isOnPath } from '../state/tree.js';
import { inheritWorkspace } from '../state/workspace.js';

/**
 * The default fork point: the newest message of the path; while a turn runs, the last message before it, since an incomplete turn cannot be continued.
 */
export function defaultForkPoint(state: SessionState): string | null {
  const first = state.turn?.messages[0];
  return first === undefined ? state.head : (state.messages.get(first)?.message.parentUuid ?? null);
}

/** Throws `message_not_on_path` for a message that is not part of the current conversation. */
export function requireForkPoint(state: SessionState, at: string): void {
  if (isOnPath(state, at)) return;
  const message = state.messages.has(at)
    ? 'This message is not part of the current conversation because of a rewind; restore the rewind first, or fork at another message.'
    : 'This message is not part of the session.';
  throw new DomainError('message_not_on_path', message, [{ pointer: '/at', text: 'is not a message of the current conversation' }]);
}

/** Settings of a fork: the session's, with the permission mode at the fork point. */
export function forkSettings(state: SessionState, at: string | null, title: string | null): SessionSettings {
  const permissionMode = at === state.head ? state.settings.permissionMode : permissionModeAt(state, at);
  const { archived: _, ...settings } = state.settings;
  return { ...settings, title: title ?? settings.title, permissionMode };
}

/**
 * The initial state of a fork: the parent's branch up to the fork point, with its prompts and the request prefixes of its answers. Copies the maps, linear in the
 * branch; the message objects are shared. Later events of the parent have no effect.
 */
export function inherited(parent: SessionState, { at }: Pick<ForkedFrom, 'at'>): SessionState {
  const state = emptyState();
  state.boundBy = bound(parent);
  for (const record of branch(parent, at, null)) {
    const { message, promptId } = record;
    state.messages.set(message.uuid, { ...record, seq: 0 });
    const prompt = promptId === null ? undefined : parent.prompts.get(promptId);
    if (promptId !== null && prompt) state.prompts.set(promptId, { ...prompt });
    const prefix = message.type === 'assistant' && message.requestId !== undefined ? parent.requestPrefixes.get(message.requestId) : undefined;
    if (message.type === 'assistant' && message.requestId !== undefined && prefix) state.requestPrefixes.set(message.requestId, prefix);
  }
  state.head = at;
  const files = at === null ? null : (state.messages.get(at)?.files ?? null);
  inheritWorkspace(
    state.workspace,
    parent.workspace,
    files,
    [...state.messages.values()].flatMap(({ files: at, filesBefore }) => (filesBefore === undefined ? [at] : [filesBefore, at])),
  );
  if (at !== null && !state.messages.has(at)) throw new Error('the fork point is not a message of the parent session');
  return state;
}
