import type { SentCompaction } from '../../../packages/protocol/events/events.js';
import type { RequestRecord, SessionState, Turn } from '../state/state.js';
import { requestedCompaction } from './requested.js';
import { hardlyFits, tokensInUse } from './token-usage.js';
import { REFUSAL } from '../state/stop-reasons.js';
import { isAutomatic, windowOf } from './limits.js';
import { type CompactionPlan, planCompaction, readingOf } from './plan.js';
import type { CompactionLimits } from '../state/compaction-limits.js';

/** Error code of a request or turn whose input exceeds the model's limit. */
export const PROMPT_TOO_LONG = 'prompt_too_long';

/** A compaction that must run before the turn's next request for an answer. */
export interface DueCompaction {
  readonly trigger: SentCompaction['trigger'];
  readonly instructions: string | null;
  /** Null: requested by a user, but there is nothing to summarize. */
  readonly plan: CompactionPlan | null;
  /** How often the request for this summary was rejected as too long, or refused by the model: each time less is sent. */
  readonly rejections: number;
  /** The request is a retry; PreCompact hooks have already run. */
  readonly isRepeated: boolean;
}

/**
 * Whether the turn's next request is for a summary: because its prompt requests one, the window is nearly full, the conversation was never counted and very likely does not fit,
 * or the previous request was too long. A failed attempt
 * is repeated within the turn only when the failure is transient, or when the model refused a summary that the turn cannot do without, so two compactions never follow
 * each other without an answer between them.
 */
export function dueCompaction(state: SessionState, turn: Turn, limits: CompactionLimits): DueCompaction | null {
  const last = lastRequest(state, turn);
  const isRepeated = last?.sent.compaction !== undefined;
  if (isRepeated && !(last?.status === 'failed' && turn.retryAt !== null) && !(isRefused(last) && isIndispensable(state, turn))) return null;
  const rejections = isRepeated ? rejectionsOf(state, turn) : 0;
  const requested = compactionRequestOf(state, turn);
  if (requested) return { trigger: 'manual', ...requested, plan: planCompaction(state, limits), rejections, isRepeated };
  if (!isRepeated && !(isAutoAllowed(state, turn, limits) && (isTooLong(last) || isNearlyFull(state, limits)))) return null;
  const plan = planCompaction(state, isNeeded(state, turn) ? keepNone(limits) : limits);
  return plan && { trigger: 'auto', instructions: null, plan, rejections, isRepeated };
}

/** Whether a request that was too long can be retried after a compaction. False when only the turn itself is left, so this terminates. */
export function canCompact(state: SessionState, limits: CompactionLimits): boolean {
  const { turn } = state;
  return turn !== null && isAutoAllowed(state, turn, limits) && planCompaction(state, keepNone(limits)) !== null;
}

/** Whether a summary request that was too long can be retried with less input. */
export function canReduceSummaryInput(state: SessionState, limits: CompactionLimits): boolean {
  const { turn } = state;
  if (!turn) return false;
  const plan = planCompaction(state, isNeeded(state, turn) ? keepNone(limits) : limits);
  // The current rejection is not recorded yet.
  return plan !== null && readingOf(plan, rejectionsOf(state, turn) + 1, state, limits) !== null;
}

/** Whether a summary that the model refused is asked for again with less input: what it refuses may be in the part that is left out. */
export function canRepeatRefused(state: SessionState, limits: CompactionLimits): boolean {
  return state.turn !== null && isIndispensable(state, state.turn) && canReduceSummaryInput(state, limits);
}

/** Whether somebody asked for the compaction, or the turn cannot continue without it. */
const isIndispensable = (state: SessionState, turn: Turn): boolean => compactionRequestOf(state, turn) !== null || isNeeded(state, turn);

/** Whether the turn cannot continue without the compaction. */
export function isNeeded(state: SessionState, turn: Turn): boolean {
  return isTooLong(turn.requestIds.map((id) => state.requests.get(id)).findLast((record) => record && record.sent.compaction === undefined));
}

export function compactionRequestOf(state: SessionState, turn: Turn): { readonly instructions: string | null } | null {
  const prompt = state.prompts.get(turn.promptId);
  return prompt ? requestedCompaction(prompt.submission) : null;
}

/** Keeps only the running turn. */
const keepNone = (limits: CompactionLimits): CompactionLimits => ({ ...limits, keepTurns: 0 });

const lastRequest = (state: SessionState, turn: Turn): RequestRecord | undefined => state.requests.get(turn.requestIds.at(-1) ?? '');

const isRefused = (record: RequestRecord | undefined): boolean => record?.status === 'completed' && record.stopReason === REFUSAL;

const isTooLong = (record: RequestRecord | undefined): boolean => record?.status === 'failed' && record.error?.code === PROMPT_TOO_LONG;

function isAutoAllowed(state: SessionState, turn: Turn, limits: CompactionLimits): boolean {
  return isAutomatic(state, limits) && !turn.compactionBlocked;
}

function isNearlyFull(state: SessionState, limits: CompactionLimits): boolean {
  const tokens = tokensInUse(state);
  const window = windowOf(state, limits);
  return tokens === null ? hardlyFits(state, window) : tokens > limits.atShare * window;
}

/** Number of consecutive rejections and refusals of the current summary request. */
function rejectionsOf(state: SessionState, { requestIds }: Turn): number {
  let count = 0;
  for (let at = requestIds.length - 1; at >= 0; at -= 1) {
    const record = state.requests.get(requestIds[at]!);
    if (record?.sent.compaction === undefined || (record.status === 'completed' && !isRefused(record))) break;
    if (isTooLong(record) || isRefused(record)) count += 1;
  }
  return count;
}
