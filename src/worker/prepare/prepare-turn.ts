import { Injectable } from '@nestjs/common';
import { preparePrompt } from '../../core/prompt/prepare.js';
import { Clock, type Job, Telemetry } from '../../core/ports.js';
import type { SessionState } from '../../core/session/state.js';
import { TurnReports } from '../turn-reports.js';
import { ExpandCommand } from './expand-command.js';
import { FitMedia } from './fit-media.js';
import { GatherAttachments } from './gather-attachments.js';
import { CheckpointRecorder } from './checkpoints.js';
import { inHand } from './prompt-draft.js';
import { PromptHooks } from './prompt-hooks.js';
import { RunBash } from './run-bash.js';
import type { Submission } from '../../core/message/submission.js';

/**
 * The stages between an accepted prompt and the first request: make its images fit, run what was typed for the shell, expand a command, gather what belongs to a
 * prompt, let the hooks see it, make it messages.
 */
@Injectable()
export class PrepareTurn {
  constructor(
    private readonly fitMedia: FitMedia,
    private readonly runBash: RunBash,
    private readonly expandCommand: ExpandCommand,
    private readonly gatherAttachments: GatherAttachments,
    private readonly promptHooks: PromptHooks,
    private readonly reports: TurnReports,
    private readonly clock: Clock,
    private readonly telemetry: Telemetry,
  ) {}

  run(job: Job['payload'], state: SessionState, submission: Submission, signal: AbortSignal): Promise<void> {
    return this.telemetry.span('prepare', {}, () => this.#run(job, state, submission, signal));
  }

  async #run(job: Job['payload'], state: SessionState, submission: Submission, signal: AbortSignal): Promise<void> {
    const marks = new CheckpointRecorder(this.clock, this.telemetry);
    marks.mark('query_process_user_input_start');
    marks.mark('query_process_user_input_base_start');
    const { sessionStart } = state;
    let prompt = inHand(job, submission, state.settings);
    prompt = await this.fitMedia.run(prompt, state, marks, signal);
    prompt = await this.runBash.run(prompt, state, marks, signal);
    prompt = await this.expandCommand.run(prompt, state, marks, signal);
    if (prompt.expanded === null) prompt = await this.gatherAttachments.run(prompt, state, marks, signal);
    const hookRuns = await this.promptHooks.run(prompt, sessionStart, marks, signal);
    marks.mark('query_process_user_input_base_end');
    // What a rewind comes back to is a prompt's message, with the permission mode of its moment: the log is all the history there is.
    marks.mark('query_file_history_snapshot_start');
    const prepared = preparePrompt(prompt, hookRuns, { at: this.clock.timestamp(), uuid: () => this.clock.uuid() });
    marks.mark('query_file_history_snapshot_end');
    marks.mark('query_process_user_input_end');
    await this.reports.report(job, 'prepare', { type: 'PrepareTurn', turnId: job.turnId, ...prepared, hookRuns, checkpoints: marks.all() });
  }
}
