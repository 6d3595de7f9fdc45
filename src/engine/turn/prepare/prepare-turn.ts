import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../../platform/config/env.js';
import type { Draft } from '../../../../packages/protocol/message/draft.js';
import { speakerName } from '../../../../packages/protocol/message/speaker.js';
import { preparePrompt } from '../../../session/prompt/prepare.js';
import { Accounts, Clock, Telemetry } from '../../../ports/index.js';
import type { SessionState } from '../../../session/state/state.js';
import type { TurnCommand } from '../../../session/state/commands.js';
import type { ClaimedTurn } from '../turn-reports.js';
import { WorkspaceLog } from '../workspace-log.js';
import { ExpandCommand } from './expand-command.js';
import { FitMedia } from './fit-media.js';
import { GatherAttachments } from './gather-attachments.js';
import { CheckpointRecorder } from './checkpoints.js';
import { promptDraft } from './prompt-draft.js';
import { PromptHooks } from './prompt-hooks.js';
import { RunBash } from './run-bash.js';
import type { Submission } from '../../../../packages/protocol/message/submission.js';

/** The report of a preparation. */
export type Preparation = Extract<TurnCommand, { type: 'PrepareTurn' }>;

/**
 * Prepares a turn, from the accepted prompt to its messages: fit its images, run a shell command, expand a slash command, gather attachments, run hooks,
 * build the messages.
 */
@Injectable()
export class PrepareTurn {
  constructor(
    private readonly fitMedia: FitMedia,
    private readonly runBash: RunBash,
    private readonly expandCommand: ExpandCommand,
    private readonly gatherAttachments: GatherAttachments,
    private readonly promptHooks: PromptHooks,
    private readonly clock: Clock,
    private readonly telemetry: Telemetry,
    private readonly accounts: Accounts,
    private readonly workspace: WorkspaceLog,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'SPEAKER_NAMES'>,
  ) {}

  /** The report is left to the caller. */
  prepare(job: ClaimedTurn, state: SessionState, submission: Submission, signal: AbortSignal): Promise<Preparation> {
    return this.telemetry.span('prepare', {}, () => this.#runStages(job, state, submission, signal));
  }

  async #runStages(job: ClaimedTurn, state: SessionState, submission: Submission, signal: AbortSignal): Promise<Preparation> {
    const marks = new CheckpointRecorder(this.clock, this.telemetry);
    marks.mark('query_process_user_input_start');
    marks.mark('query_process_user_input_base_start');
    const { sessionStart } = state;
    const by = state.prompts.get(submission.promptId)?.by;
    let prompt = promptDraft(job, submission, state.settings);
    prompt = await this.fitMedia.apply(prompt, state, marks, signal);
    prompt = await this.runBash.apply(prompt, state, marks, signal);
    prompt = await this.expandCommand.apply(prompt, state, marks, signal);
    if (prompt.expanded === null) prompt = await this.gatherAttachments.apply(prompt, state, marks, signal);
    const hookRuns = await this.promptHooks.runHooks(prompt, sessionStart, marks, signal);
    marks.mark('query_process_user_input_base_end');
    marks.mark('query_file_history_snapshot_start');
    await this.workspace.record(job, null);
    const prepared = preparePrompt(prompt, hookRuns, { at: this.clock.timestamp(), uuid: () => this.clock.uuid() });
    marks.mark('query_file_history_snapshot_end');
    marks.mark('query_process_user_input_end');
    const speaker = await this.#speaker(job.tenantId, by);
    const messages = speaker === null ? prepared.messages : prepared.messages.map((message) => spoken(message, submission.uuid, speaker));
    return { type: 'PrepareTurn', turnId: job.turnId, ...prepared, messages, hookRuns, checkpoints: marks.all() };
  }

  /** The name of the user who submitted the prompt; null: the model is not told. */
  async #speaker(tenantId: string, userId: string | undefined): Promise<string | null> {
    if (!this.settings.SPEAKER_NAMES || userId === undefined) return null;
    const name = (await this.accounts.names(tenantId, [userId])).get(userId);
    return name === undefined ? null : speakerName(name);
  }
}

const spoken = (message: Draft, uuid: string, speaker: string): Draft => (message.type === 'user' && message.uuid === uuid ? { ...message, speaker } : message);
