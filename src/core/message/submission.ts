import type { BlobSource, Content, Json } from './content.js';

/** `compact`: asks for a summary of the conversation; its value is what is wanted of it. */
export type SubmissionMode = 'prompt' | 'bash' | 'compact';

/** Who deals with a command: the client shows what is answered at once; it runs here in its turn; it becomes a prompt for the model; it is a turn of its own kind. */
export type CommandKind = 'client' | 'local' | 'prompt' | 'turn';

/** What becomes of a submission, decided once, when it is accepted. */
export type Route =
  | { readonly kind: 'prompt' }
  | { readonly kind: 'bash' }
  | { readonly kind: 'exit' }
  /** What its arguments are, `argumentsOf` finds in the submission. */
  | { readonly kind: 'command'; readonly command: CommandKind; readonly name: string }
  /** Answered with the reason: nobody knows it, it cannot be run from afar, only the model may call it. */
  | { readonly kind: 'refused'; readonly name: string; readonly reason: 'unknown' | 'remote' | 'model_only' };

/** What a client pasted; the prompt's text names it as `[Pasted text #N]` or `[Image #N]`. `content` of an image is base64. */
export interface PastedContent {
  readonly type: 'text' | 'image';
  readonly content: string;
  readonly mediaType?: string;
  readonly filename?: string;
  readonly sourcePath?: string;
}

/** A pasted image once its bytes are kept. */
export interface StoredPastedImage extends Pick<PastedContent, 'filename' | 'sourcePath'> {
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
  readonly pastedContents?: Readonly<Record<string, (PastedContent & { readonly type: 'text' }) | StoredPastedImage>>;
  readonly attachments?: readonly { readonly type: string; readonly [key: string]: Json }[];
  /** Text that begins with a slash is text. */
  readonly skipSlashCommands?: boolean;
  /** From a client that controls the session from afar: as `skipSlashCommands`, but commands that are safe there run. */
  readonly bridgeOrigin?: boolean;
  /** Absent in what was accepted before routes were recorded; read it with `routeIn`. */
  readonly route?: Route;
  readonly origin?: Json;
  /** Tag that travels with everything this prompt causes: job, model call, hooks, logs, spans. */
  readonly workload?: string;
  /** The request that gave it, in its trace, as W3C Trace Context writes it; present when that was traced. */
  readonly traceparent?: string;
}
