import { modelInForce } from '../prompt/granted-by-commands.js';
import type { SessionState } from '../state/state.js';
import { profileFor } from '../../../packages/normalizer/models/profiles.js';
import type { CompactionLimits } from '../state/compaction-limits.js';

/** Maximum tokens of a request's input and output together. */
export function windowOf(state: SessionState, { windowTokens }: CompactionLimits): number {
  return Math.min(profileFor(modelInForce(state)).contextWindow, windowTokens ?? Infinity);
}

/** Maximum tokens of the input that leave room for the answer; at least half of the window. */
export function inputRoom(state: SessionState, limits: CompactionLimits): number {
  const window = windowOf(state, limits);
  return Math.max(window - Math.min(limits.maxOutputTokens, profileFor(modelInForce(state)).maxOutputTokens), window / 2);
}

export const isAutomatic = ({ settings }: SessionState, { auto }: CompactionLimits): boolean => settings.autoCompact ?? auto;
