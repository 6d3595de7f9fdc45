import type { BlobSource, Content, Json } from './content.js';
import type { ModelOptions } from './model-options.js';

/** `compact`: requests a compaction; the input is the instructions for the summary. */
export type SubmissionMode = 'prompt' | 'bash' | 'compact';

/** How a slash command is handled. `client`: answered at once, for the client to display; `local`: run on the server in a turn; `prompt`: expanded to a prompt for the model; `turn`: a special turn, such as a compaction. */
export type CommandKind = 'client' | 'local' | 'prompt' | 'turn';

/** How a submission is processed; decided once, when it is accepted. */
export type Route =
  | { readonly kind: 'prompt' }
  | { readonly kind: 'bash' }
  | { readonly kind: 'exit' }
  /** `argumentsOf` reads its arguments from the submission. */
  | { readonly kind: 'command'; readonly command: CommandKind; readonly name: string }
  /** Answered with an error: the command does not exist, is not available over remote control, or only the model may call it. */
  | { readonly kind: 'rejected'; readonly name: string; readonly reason: 'unknown' | 'remote' | 'model_only' };

/** Pasted content; the prompt's text refers to it as `[Pasted text #N]` or `[Image #N]`. `content` of an image is base64. */
export interface PastedContent {
  readonly type: 'text' | 'image';
  readonly content: string;
  readonly mediaType?: string;
  readonly filename?: string;
  readonly sourcePath?: string;
}

export type PastedText = PastedContent & { readonly type: 'text' };

/** A pasted image by reference to bytes that the session has. */
export interface StoredPastedImage extends Pick<PastedContent, 'filename' | 'sourcePath'> {
  readonly type: 'image';
  readonly source: BlobSource;
}

/**
 * An accepted submission. Created and validated once; prompts that start at once and prompts from the queue are processed by the same code, without further
 * validation.
 */
export interface Submission {
  readonly promptId: string;
  /** Id of the turn that will answer it. */
  readonly turnId: string;
  /** Uuid of the user message. */
  readonly uuid: string;
  readonly mode: SubmissionMode;
  /** The input as sent: untrimmed, with paste references. Images and documents reference stored bytes. */
  readonly original: Content;
  /** The text that is processed: trimmed, paste references expanded, without files (`filesOf` lists these). Empty for a prompt of files only. */
  readonly value: Content;
  readonly pastedContents?: Readonly<Record<string, PastedText | StoredPastedImage>>;
  readonly attachments?: readonly { readonly type: string; readonly [key: string]: Json }[];
  /** Text that begins with a slash is not a command. */
  readonly skipSlashCommands?: boolean;
  /** From a remote-control client: like `skipSlashCommands`, except for commands that are safe there. */
  readonly bridgeOrigin?: boolean;
  /** Absent in submissions stored before routes were recorded; read it with `routeIn`. */
  readonly route?: Route;
  readonly origin?: Json;
  /** The prompt is for the model only, such as that of a scheduled task: its message is hidden from the transcript. */
  readonly isMeta?: boolean;
  /** Parameters of the requests of its turn; each takes precedence over that of the session. */
  readonly modelOptions?: ModelOptions;
  /** IANA time zone of the user, in which the model is told the date. */
  readonly timeZone?: string;
  /** Tag that is attached to everything this prompt causes: job, model requests, hooks, logs, spans. */
  readonly workload?: string;
  /** W3C Trace Context of the HTTP request that submitted it; absent when it was not traced. */
  readonly traceparent?: string;
}

/** A submission in the log. `value` is absent when it equals `original`, as it mostly does. */
export type StoredSubmission = Omit<Submission, 'value'> & Partial<Pick<Submission, 'value'>>;

export function toStored({ value, ...submission }: Submission): StoredSubmission {
  return value === submission.original ? submission : { ...submission, value };
}

export function fromStored(submission: StoredSubmission): Submission {
  return { ...submission, value: submission.value ?? submission.original };
}
