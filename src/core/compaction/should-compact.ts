import type { SentCompaction } from '../session/events.js';
import type { RequestRecord, SessionState, Turn } from '../session/state.js';
import { requestedCompaction } from './requested.js';
import { tokensInUse } from './token-usage.js';
import { isAutomatic, windowOf } from './limits.js';
import { type CompactionPlan, planCompaction, readingOf } from './plan.js';
import type { CompactionLimits } from '../session/compaction-limits.js';

/** Code of a request, or a turn, that failed because there was more to send than the model takes. */
export const PROMPT_TOO_LONG = 'prompt_too_long';

/** A compaction that a turn has to make before it asks for its next answer. */
export interface DueCompaction {
  readonly trigger: SentCompaction['trigger'];
  readonly instructions: string | null;
  /** Null: somebody asked for it, and there is nothing to sum up. */
  readonly plan: CompactionPlan | null;
  /** How often this summary has been refused because what was to be read was too long. */
  readonly refusals: number;
  /** It has been asked for before, so hooks have had their say. */
  readonly isRepeated: boolean;
}

/**
 * Whether the turn's next request is for a summary: because its prompt asks for one, because the window is nearly full, or because the request before it was
 * too long. An attempt that failed is not repeated within the turn, unless the failure may pass; so two never follow each other without an answer between them.
 */
export function dueCompaction(state: SessionState, turn: Turn, limits: CompactionLimits): DueCompaction | null {
  const last = lastRequest(state, turn);
  const isRepeated = last?.sent.compaction !== undefined;
  if (isRepeated && !(last?.status === 'failed' && turn.retryAt !== null)) return null;
  const refusals = isRepeated ? refusalsOf(state, turn) : 0;
  const asked = compactionRequestOf(state, turn);
  if (asked) return { trigger: 'manual', ...asked, plan: planCompaction(state, limits), refusals, isRepeated };
  if (!isRepeated && !(mayCompactItself(state, turn, limits) && (isTooLong(last) || isNearlyFull(state, limits)))) return null;
  const plan = planCompaction(state, isNeeded(state, turn) ? alone(limits) : limits);
  return plan && { trigger: 'auto', instructions: null, plan, refusals, isRepeated };
}

/** Whether the turn's request, which was too long, may be made again behind a summary: not when all that is left is the turn itself, so this comes to an end. */
export function maySumUp(state: SessionState, limits: CompactionLimits): boolean {
  const { turn } = state;
  return turn !== null && mayCompactItself(state, turn, limits) && planCompaction(state, alone(limits)) !== null;
}

/** Whether a summary for which there was too much to read may be asked for once more, with less. */
export function mayReadLess(state: SessionState, limits: CompactionLimits): boolean {
  const { turn } = state;
  if (!turn) return false;
  const plan = planCompaction(state, isNeeded(state, turn) ? alone(limits) : limits);
  // The refusal at hand is not recorded yet.
  return plan !== null && readingOf(plan, refusalsOf(state, turn) + 1, state, limits) !== null;
}

/** Whether the turn cannot go on without the summary. */
export function isNeeded(state: SessionState, turn: Turn): boolean {
  return isTooLong(turn.requestIds.map((id) => state.requests.get(id)).findLast((record) => record && record.sent.compaction === undefined));
}

export function compactionRequestOf(state: SessionState, turn: Turn): { readonly instructions: string | null } | null {
  const prompt = state.prompts.get(turn.promptId);
  return prompt ? requestedCompaction(prompt.submission) : null;
}

/** Where room is short already, no turn is kept but the one that runs. */
const alone = (limits: CompactionLimits): CompactionLimits => ({ ...limits, keepTurns: 0 });

const lastRequest = (state: SessionState, turn: Turn): RequestRecord | undefined => state.requests.get(turn.requestIds.at(-1) ?? '');

const isTooLong = (record: RequestRecord | undefined): boolean => record?.status === 'failed' && record.error?.code === PROMPT_TOO_LONG;

function mayCompactItself(state: SessionState, turn: Turn, limits: CompactionLimits): boolean {
  return isAutomatic(state, limits) && !turn.compactionBlocked;
}

function isNearlyFull(state: SessionState, limits: CompactionLimits): boolean {
  const tokens = tokensInUse(state);
  return tokens !== null && tokens > limits.atShare * windowOf(state, limits);
}

/** Counts back to the last request that was for something else, or was answered. */
function refusalsOf(state: SessionState, { requestIds }: Turn): number {
  let count = 0;
  for (let at = requestIds.length - 1; at >= 0; at -= 1) {
    const record = state.requests.get(requestIds[at]!);
    if (record?.sent.compaction === undefined || record.status === 'completed') break;
    if (isTooLong(record)) count += 1;
  }
  return count;
}
