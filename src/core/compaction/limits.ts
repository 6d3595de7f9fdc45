import { modelInForce } from '../prompt/granted-by-commands.js';
import type { SessionState } from '../session/state.js';
import { profileFor } from '../models/profiles.js';
import type { CompactionLimits } from '../session/compaction-limits.js';

/** Tokens that input and output of a request may come to together. */
export function windowOf(state: SessionState, { windowTokens }: CompactionLimits): number {
  return Math.min(profileFor(modelInForce(state)).contextWindow, windowTokens ?? Infinity);
}

/** Tokens that the input may come to, so that there is room for the answer; half of a window that is small. */
export function inputRoom(state: SessionState, limits: CompactionLimits): number {
  const window = windowOf(state, limits);
  return Math.max(window - Math.min(limits.maxOutputTokens, profileFor(modelInForce(state)).maxOutputTokens), window / 2);
}

export const isAutomatic = ({ settings }: SessionState, { auto }: CompactionLimits): boolean => settings.autoCompact ?? auto;
