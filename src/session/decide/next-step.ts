import { openRequest } from './decide-turn.js';
import type { SessionState } from '../state/state.js';
import { callsThatAre } from '../state/tool-calls.js';

/** The next step of a worker for a turn. Derived from the log alone, so any worker can continue a turn. */
export type Step =
  /** The turn is over, waiting, or not the session's current one. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'prepare' }
  | { readonly kind: 'finish-interrupt' }
  /** A request was sent, and its worker was lost before the answer was stored. */
  | { readonly kind: 'abandon-request'; readonly requestId: string }
  /** Calls were started, and their worker was lost before the outcome was stored. They are never run again. */
  | { readonly kind: 'close-lost-calls'; readonly toolUseIds: readonly string[] }
  | { readonly kind: 'decide-calls' }
  | { readonly kind: 'run-calls' }
  /** Only the client, a person or a helper can continue. */
  | { readonly kind: 'wait-for-calls' }
  /** The last answer is recorded, or a hook stopped the turn. */
  | { readonly kind: 'finish' }
  /** `notBefore`: milliseconds since the epoch; later than now after a transient failure. */
  | { readonly kind: 'request'; readonly ordinal: number; readonly notBefore: number };

export function nextStep(state: SessionState, turnId: string): Step {
  const turn = state.turn;
  if (!turn || turn.turnId !== turnId || turn.status !== 'running') return { kind: 'nothing' };
  if (!turn.prepared && turn.ranShell) return { kind: 'prepare' };
  if (turn.interruptRequested) return { kind: 'finish-interrupt' };
  if (!turn.prepared) return { kind: 'prepare' };
  const open = openRequest(state, turn);
  if (open) return { kind: 'abandon-request', requestId: open };
  const lost = callsThatAre('running', turn);
  if (lost.length > 0) return { kind: 'close-lost-calls', toolUseIds: lost.map(({ toolUseId }) => toolUseId) };
  if (callsThatAre('pending', turn).length > 0) return { kind: 'decide-calls' };
  if (callsThatAre('ready', turn).length > 0) return { kind: 'run-calls' };
  if (WAITING.some((status) => callsThatAre(status, turn).length > 0)) return { kind: 'wait-for-calls' };
  if (turn.endReason !== null || turn.finalStopReason !== null) return { kind: 'finish' };
  return { kind: 'request', ordinal: turn.requestIds.length + 1, notBefore: turn.retryAt ? Date.parse(turn.retryAt) : 0 };
}

const WAITING = ['awaiting_decision', 'awaiting_client', 'awaiting_helper'] as const;
