import { modelInForce } from '../intake/granted-by-commands.js';
import type { SessionState } from '../session/state.js';
import { profileFor } from '../view/profiles.js';

export interface CompactionLimits {
  /** Whether a conversation is compacted by itself; a session may decide otherwise. */
  readonly auto: boolean;
  /** Share of the context window in use past which it is. */
  readonly atShare: number;
  /** So many of the latest turns stay as they are, as long as they take no more than `keepShare` of the window. */
  readonly keepTurns: number;
  readonly keepShare: number;
  /** Tokens to take for the window where the model's own is larger; null = the model's own. */
  readonly windowTokens: number | null;
  /** Wanted of an answer. */
  readonly maxOutputTokens: number;
}

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
