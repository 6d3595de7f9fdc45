import type { Settings } from './config/env.js';
import type { Limits } from './core/ports.js';

export function limitsOf(settings: Settings): Limits {
  return {
    maxPromptCharacters: settings.MAX_PROMPT_CHARACTERS,
    files: {
      maxImages: settings.MAX_IMAGES_PER_PROMPT,
      maxImageBytes: settings.MAX_IMAGE_BYTES,
      maxImagePixels: settings.MAX_IMAGE_PIXELS,
      maxDocuments: settings.MAX_DOCUMENTS_PER_PROMPT,
      maxDocumentBytes: settings.MAX_DOCUMENT_BYTES,
      maxDocumentPages: settings.MAX_DOCUMENT_PAGES,
    },
    maxQueuedPrompts: settings.MAX_QUEUED_PROMPTS,
    maxRequestsPerTurn: settings.MAX_REQUESTS_PER_TURN,
    maxOutputTokens: settings.MAX_OUTPUT_TOKENS,
    modelAttempts: settings.MODEL_ATTEMPTS,
    maxLostWorkers: settings.MAX_LOST_WORKERS,
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
