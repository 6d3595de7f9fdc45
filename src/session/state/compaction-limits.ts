export interface CompactionLimits {
  /** Whether conversations are compacted automatically; a session can override it. */
  readonly auto: boolean;
  /** Share of the context window in use (0 to 1) above which they are. */
  readonly atShare: number;
  /** How many of the latest turns are kept verbatim, as long as they take at most `keepShare` (0 to 1) of the window. */
  readonly keepTurns: number;
  readonly keepShare: number;
  /** Upper limit of the window in tokens; null: the model's own window. */
  readonly windowTokens: number | null;
  /** Output tokens requested for an answer. */
  readonly maxOutputTokens: number;
}
