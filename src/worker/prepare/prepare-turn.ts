import { Injectable } from '@nestjs/common';
import { preparePrompt } from '../../core/intake/prepare.js';
import type { Submission } from '../../core/intake/submission.js';
import { Clock, type Job } from '../../core/ports.js';
import type { SessionState } from '../../core/session/state.js';
import { TurnReports } from '../turn-reports.js';
import { ExpandCommand } from './expand-command.js';
import { GatherAttachments } from './gather-attachments.js';
import { Marks } from './marks.js';
import { inHand } from './prompt-in-hand.js';
import { PromptHooks } from './prompt-hooks.js';

/** The stages between an accepted prompt and the first request: expand a command, gather what belongs to a prompt, let the hooks see it, make it messages. */
@Injectable()
export class PrepareTurn {
  constructor(
    private readonly expandCommand: ExpandCommand,
    private readonly gatherAttachments: GatherAttachments,
    private readonly promptHooks: PromptHooks,
    private readonly reports: TurnReports,
    private readonly clock: Clock,
  ) {}

  async run(job: Job['payload'], state: SessionState, submission: Submission, signal: AbortSignal): Promise<void> {
    const marks = new Marks(this.clock);
    marks.mark('query_process_user_input_start');
    marks.mark('query_process_user_input_base_start');
    const { sessionStart } = state;
    let prompt = inHand(job, submission, state.settings);
    prompt = await this.expandCommand.run(prompt, state, marks, signal);
    if (prompt.expanded === null) prompt = await this.gatherAttachments.run(prompt, state, marks, signal);
    marks.mark('query_process_user_input_base_end');
    const hookRuns = await this.promptHooks.run(prompt, sessionStart, marks, signal);
    const prepared = preparePrompt(prompt, hookRuns, { at: new Date(this.clock.now()).toISOString(), uuid: () => this.clock.uuid() });
    marks.mark('query_process_user_input_end');
    await this.reports.report(job, 'prepare', { type: 'PrepareTurn', turnId: job.turnId, ...prepared, hookRuns, checkpoints: marks.all() });
  }
}
