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
