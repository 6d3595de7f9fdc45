import type { Settings } from './config/env.js';
import type { Limits } from './core/ports.js';

export function limitsOf(settings: Settings): Limits {
  return {
    maxPromptCharacters: settings.MAX_PROMPT_CHARACTERS,
    maxQueuedPrompts: settings.MAX_QUEUED_PROMPTS,
    maxRequestsPerTurn: settings.MAX_REQUESTS_PER_TURN,
    maxOutputTokens: settings.MAX_OUTPUT_TOKENS,
    modelAttempts: settings.MODEL_ATTEMPTS,
    modelRetryMaxMs: settings.MODEL_RETRY_MAX_MS,
    compaction: {
      auto: settings.AUTO_COMPACT,
      atShare: settings.COMPACT_AT_SHARE,
      keepTurns: settings.COMPACT_KEEP_TURNS,
      keepShare: settings.COMPACT_KEEP_SHARE,
      windowTokens: settings.CONTEXT_WINDOW_TOKENS ?? null,
      maxOutputTokens: settings.MAX_OUTPUT_TOKENS,
    },
  };
}
