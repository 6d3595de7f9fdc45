import type { Content, Json } from '../message/content.js';

/** `compact`: asks for a summary of the conversation; its value is what is wanted of it. */
export type SubmissionMode = 'prompt' | 'bash' | 'compact';

/** What a client pasted; the prompt's text names it as `[Pasted text #N]` or `[Image #N]`. */
export interface PastedContent {
  readonly type: 'text' | 'image';
  readonly content: string;
  readonly mediaType?: string;
  readonly filename?: string;
  readonly sourcePath?: string;
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
  /** As typed: with its paste references, untrimmed. */
  readonly original: Content;
  /** Trimmed, paste references expanded: what the pipeline works on. */
  readonly value: Content;
  readonly pastedContents?: Readonly<Record<string, PastedContent>>;
  readonly attachments?: readonly { readonly type: string; readonly [key: string]: Json }[];
  readonly skipSlashCommands?: boolean;
  readonly bridgeOrigin?: boolean;
  readonly origin?: Json;
  /** Tag that travels with everything this prompt causes: job, model call, hooks, logs, spans. */
  readonly workload?: string;
}
