import type { FittedFiles } from '../../core/prompt/prepare.js';
import type { Content } from '../../core/message/content.js';
import type { Job } from '../../core/ports.js';
import type { SessionSettings } from '../../core/session/events.js';
import type { SessionState } from '../../core/session/state.js';
import type { CheckpointRecorder } from './checkpoints.js';
import type { Attachment } from '../../core/message/attachment.js';
import type { Draft } from '../../core/message/draft.js';
import type { Submission } from '../../core/message/submission.js';

/** A prompt on its way from what was accepted to the messages it becomes; each stage hands on a further one. */
export interface PromptDraft extends Readonly<Job['payload']> {
  readonly submission: Submission;
  readonly settings: SessionSettings;
  /** What the model is to read as the prompt: what was submitted, until a stage changes it. Text only. */
  readonly content: Content;
  /** Images and documents, which stand behind the text. */
  readonly files: FittedFiles;
  /** What the model is to know besides. */
  readonly attachments: readonly Attachment[];
  /** What a command expanded to, or a shell answered, in place of a message of the prompt's own. */
  readonly expanded: readonly Draft[] | null;
  /** Whether the model is to be asked. */
  readonly callsModel: boolean;
}

/** One stage of the way, under its own checkpoints. `state` is true until the first await only. */
export interface Stage {
  run(prompt: PromptDraft, state: SessionState, marks: CheckpointRecorder, signal: AbortSignal): Promise<PromptDraft>;
}

const NO_FILES: FittedFiles = { blocks: [], notes: [], refused: null };

export function inHand(job: Job['payload'], submission: Submission, settings: SessionSettings): PromptDraft {
  return { ...job, submission, settings, content: submission.value, files: NO_FILES, attachments: [], expanded: null, callsModel: true };
}
