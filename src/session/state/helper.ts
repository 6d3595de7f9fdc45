import type { HelperParent } from '../../../packages/protocol/events/events.js';
import { textOf } from '../../../packages/protocol/message/content.js';
import { deriveId } from '../../../packages/protocol/message/ids.js';
import { callsIn } from './tool-calls.js';
import type { SessionState, Turn } from './state.js';

/** The turn in which a helper carries out its call: its first one. Null: the session is no helper, or its content is not loaded. */
export function helperTurn({ parent, turns }: Pick<SessionState, 'parent' | 'turns'>): Turn | null {
  const [first] = parent === null ? [] : turns.values();
  return first ?? null;
}

/** The call that limits what the session may do: its own as a helper, or that of the helper that it was forked from. Null: only its settings and those of the tenant do. */
export const bound = ({ parent, boundBy }: Pick<SessionState, 'parent' | 'boundBy'>): HelperParent | null => parent ?? boundBy;

/** Whether the turn is over: nothing of the call is left to be done. */
export const isOver = ({ status }: Turn): boolean => status !== 'running' && status !== 'waiting';

/**
 * The id of the session that carries out a call, the same for every worker that has it made. It is derived from the answer with the call, since ids of calls may repeat
 * in a session. Throws when the turn has no such call.
 */
export function helperId(state: SessionState, turn: Turn, toolUseId: string): string {
  const answer = turn.messages.findLast((uuid) => {
    const message = state.messages.get(uuid)?.message;
    return message?.type === 'assistant' && !message.isVirtual && callsIn(message.message.content).some(({ id }) => id === toolUseId);
  });
  if (answer === undefined) throw new Error(`no answer of turn ${turn.turnId} has the call ${toolUseId}`);
  return deriveId(answer, `helper ${toolUseId}`);
}

export interface HelperResult {
  readonly content: string;
  readonly isError: boolean;
}

/** What the call of an ended helper returns to the model: the text of its last answer, and why it ended early. */
export function helperResult(state: SessionState, turn: Turn): HelperResult {
  if (state.erased) return { content: 'The content of the helper was erased.', isError: true };
  const text = lastText(state, turn);
  const early = earlyEnd(turn);
  if (early === null) return { content: text === '' ? 'The helper has ended without a text.' : text, isError: false };
  return { content: text === '' ? early : `${early} Its last text was:\n\n${text}`, isError: true };
}

function earlyEnd({ status, error }: Turn): string | null {
  switch (status) {
    case 'completed':
      return null;
    case 'refused':
      return 'The model refused the task of the helper.';
    case 'interrupted':
      return 'The helper was interrupted by a person.';
    default:
      return `The helper failed: ${error?.message ?? 'unknown'}`;
  }
}

/** The text of the last answer that has one. */
export function lastText(state: SessionState, turn: Turn): string {
  for (const uuid of turn.messages.toReversed()) {
    const message = state.messages.get(uuid)?.message;
    const text = message?.type === 'assistant' && !message.isVirtual && !message.isApiErrorMessage ? textOf(message.message.content) : '';
    if (text !== '') return text;
  }
  return '';
}
