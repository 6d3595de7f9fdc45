import type { BlobSource, Content, Json } from '../message/content.js';

export type SubmissionMode = 'prompt' | 'bash';

/** What a client pasted; the prompt's text names it as `[Pasted text #N]` or `[Image #N]`. `content` of an image is base64. */
export interface PastedContent {
  readonly type: 'text' | 'image';
  readonly content: string;
  readonly mediaType?: string;
  readonly filename?: string;
  readonly sourcePath?: string;
}

/** A pasted image once its bytes are kept. */
export interface KeptImage extends Pick<PastedContent, 'filename' | 'sourcePath'> {
  readonly type: 'image';
  readonly source: BlobSource;
}

/**
 * The one shape of a submission. It is made once, when it is accepted; a prompt that starts at once and one that waited in the queue run the
 * same code from here, and nothing is checked a second time.
 */
export interface Submission {
  readonly promptId: string;
  /** The turn that will answer it, whenever that starts. */
  readonly turnId: string;
  /** Becomes the uuid of the user message. */
  readonly uuid: string;
  readonly mode: SubmissionMode;
  /** As it came: with its paste references, untrimmed; images and documents name their bytes. */
  readonly original: Content;
  /** The text of it, trimmed, paste references expanded: what the pipeline works on. Empty where a prompt is nothing but files (`filesOf`). */
  readonly value: Content;
  readonly pastedContents?: Readonly<Record<string, (PastedContent & { readonly type: 'text' }) | KeptImage>>;
  readonly attachments?: readonly { readonly type: string; readonly [key: string]: Json }[];
  readonly skipSlashCommands?: boolean;
  readonly bridgeOrigin?: boolean;
  readonly origin?: Json;
  /** Tag that travels with everything this prompt causes: job, model call, hooks, logs, spans. */
  readonly workload?: string;
}
