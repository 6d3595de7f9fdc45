import type { TypeOf } from '../shape/shape.js';
import { choice, dictionary, either, flag, json, kinds, list, object, text, uuid } from '../shape/shapes.js';
import { keep } from '../shape/skeleton-rule.js';
import { component } from './components.js';
import type { Content } from './content.js';

const mode = choice('prompt', 'bash', 'compact').about('`compact`: requests a compaction; the input is the instructions for the summary.');
export type SubmissionMode = TypeOf<typeof mode>;

const commandKind = choice('client', 'local', 'prompt', 'turn').about(
  '`client`: answered at once, for the client to display; `local`: run on the server in a turn; `prompt`: expanded to a prompt for the model; `turn`: a special turn, such as a compaction.',
);
/** How a slash command is handled. */
export type CommandKind = TypeOf<typeof commandKind>;

const route = kinds({
  prompt: {},
  bash: {},
  exit: {},
  /** `argumentsOf` reads its arguments from the submission. */
  command: { command: commandKind, name: text },
  rejected: {
    name: text,
    reason: choice('unknown', 'remote', 'model_only').about('The command does not exist, is not available over remote control, or only the model may call it.'),
  },
});
/** How a submission is processed; decided once, when it is accepted. */
export type Route = TypeOf<typeof route>;

/** Pasted content; the prompt's text refers to it as `[Pasted text #N]` or `[Image #N]`. `content` of an image is base64. */
export interface PastedContent {
  readonly type: 'text' | 'image';
  readonly content: string;
  readonly mediaType?: string;
  readonly filename?: string;
  readonly sourcePath?: string;
}

const ofPaste = { filename: text.optional(), sourcePath: text.optional() };
const pastedImage = object({ type: choice('image'), source: component('StoredSource').about('Its stored bytes.'), ...ofPaste });
const pastedText = object({ type: choice('text'), content: text, mediaType: text.optional(), ...ofPaste });
export type PastedText = TypeOf<typeof pastedText>;
/** A pasted image by reference to bytes that the session has. */
export type StoredPastedImage = TypeOf<typeof pastedImage>;

export const storedSubmission = object({
  promptId: uuid,
  turnId: uuid.about('Id of the turn that answers it.'),
  uuid: uuid.about('Uuid of the user message.'),
  mode,
  original: component('Content').content('').about('As it was sent; images and documents are stored blobs.'),
  value: component('Content').optional('Trimmed, with paste references expanded, without files; absent when it equals `original`.'),
  pastedContents: dictionary(either(pastedText, pastedImage).named('StoredPaste')).optional('By the number that the text refers to.'),
  attachments: list(component('Attachment')).optional(),
  skipSlashCommands: flag.content().optional('Text that begins with a slash is not a command.'),
  bridgeOrigin: flag.content().optional('From a remote-control client: like `skipSlashCommands`, except for commands that are safe there.'),
  route: route.optional('Absent in submissions stored before routes were recorded.'),
  origin: json.optional(),
  isMeta: flag.keeping(keep('true')).optional('It is for the model only, such as that of a scheduled task: its message is hidden from the transcript.'),
  timeZone: text.optional('IANA time zone of the user, in which the model is told the date.'),
  modelOptions: component('ModelOptions').optional('Parameters of the requests of its turn; each takes precedence over that of the session.'),
  tokenId: uuid.optional('The token that it was submitted with, where that has limits of its own: its turn counts for it.'),
  workload: text.optional('Tag that is attached to everything this prompt causes: job, model requests, hooks, logs, spans.'),
  traceparent: text.optional('W3C Trace Context of the HTTP request that submitted it; absent when it was not traced.'),
}).named('Submission');
/** A submission in the log. */
export type StoredSubmission = TypeOf<typeof storedSubmission>;

/**
 * An accepted submission. Created and validated once; prompts that start at once and prompts from the queue are processed by the same code, without further
 * validation.
 */
export interface Submission extends StoredSubmission {
  /** The text that is processed: trimmed, paste references expanded, without files (`filesOf` lists these). Empty for a prompt of files only. */
  readonly value: Content;
}

export function toStored({ value, ...submission }: Submission): StoredSubmission {
  return value === submission.original ? submission : { ...submission, value };
}

export function fromStored(submission: StoredSubmission): Submission {
  return { ...submission, value: submission.value ?? submission.original };
}
