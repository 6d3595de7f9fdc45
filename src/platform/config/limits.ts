import type { Settings } from './env.js';

/** Settings that limit the files of a prompt. */
export type FileSettings = Pick<
  Settings,
  'MAX_IMAGES_PER_PROMPT' | 'MAX_IMAGE_BYTES' | 'MAX_IMAGE_PIXELS' | 'MAX_DOCUMENTS_PER_PROMPT' | 'MAX_DOCUMENT_BYTES' | 'MAX_DOCUMENT_PAGES'
>;

/** The limits of a prompt's files, as core takes them. */
export const fileLimits = (settings: FileSettings) => ({
  maxImages: settings.MAX_IMAGES_PER_PROMPT,
  maxImageBytes: settings.MAX_IMAGE_BYTES,
  maxImagePixels: settings.MAX_IMAGE_PIXELS,
  maxDocuments: settings.MAX_DOCUMENTS_PER_PROMPT,
  maxDocumentBytes: settings.MAX_DOCUMENT_BYTES,
  maxDocumentPages: settings.MAX_DOCUMENT_PAGES,
});

/** Settings that determine when a conversation is compacted and what is kept. */
export type CompactionSettings = Pick<
  Settings,
  'AUTO_COMPACT' | 'COMPACT_AT_SHARE' | 'COMPACT_KEEP_TURNS' | 'COMPACT_KEEP_SHARE' | 'CONTEXT_WINDOW_TOKENS' | 'MAX_OUTPUT_TOKENS'
>;

/** The limits of compaction, as core takes them. */
export const compactionLimits = (settings: CompactionSettings) => ({
  auto: settings.AUTO_COMPACT,
  atShare: settings.COMPACT_AT_SHARE,
  keepTurns: settings.COMPACT_KEEP_TURNS,
  keepShare: settings.COMPACT_KEEP_SHARE,
  windowTokens: settings.CONTEXT_WINDOW_TOKENS ?? null,
  maxOutputTokens: settings.MAX_OUTPUT_TOKENS,
});
