import type { FittedFiles } from '../../../session/prompt/prepare.js';
import type { Content } from '../../../../packages/protocol/message/content.js';
import type { SessionSettings } from '../../../../packages/protocol/events/events.js';
import type { SessionState } from '../../../session/state/state.js';
import type { CheckpointRecorder } from './checkpoints.js';
import type { Attachment } from '../../../../packages/protocol/message/attachment.js';
import type { Draft } from '../../../../packages/protocol/message/draft.js';
import type { Submission } from '../../../../packages/protocol/message/submission.js';
import type { ClaimedTurn } from '../turn-reports.js';

/** A prompt between submission and messages; each stage returns a changed copy. */
export interface PromptDraft extends Readonly<ClaimedTurn> {
  readonly submission: Submission;
  readonly settings: SessionSettings;
  /** Text of the prompt for the model: the submitted one, until a stage changes it. */
  readonly content: Content;
  /** Images and documents, which follow the text. */
  readonly files: FittedFiles;
  /** Attachments for the model. */
  readonly attachments: readonly Attachment[];
  /** Messages that replace the prompt's own: the expansion of a slash command, or the output of a shell command. */
  readonly expanded: readonly Draft[] | null;
  /** Whether the turn calls the model. */
  readonly callsModel: boolean;
}

/** One stage of preparation, with its own checkpoints. `state` is valid until the first await only. */
export interface Stage {
  apply(prompt: PromptDraft, state: SessionState, marks: CheckpointRecorder, signal: AbortSignal): Promise<PromptDraft>;
}

const NO_FILES: FittedFiles = { blocks: [], notes: [], rejected: null };

export function promptDraft(job: ClaimedTurn, submission: Submission, settings: SessionSettings): PromptDraft {
  return { ...job, submission, settings, content: submission.value, files: NO_FILES, attachments: [], expanded: null, callsModel: true };
}
