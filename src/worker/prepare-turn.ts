import { Injectable } from '@nestjs/common';
import { preparePrompt } from '../core/intake/prepare.js';
import type { Submission } from '../core/intake/submission.js';
import { textOf } from '../core/message/content.js';
import { Clock, Hooks, type Job } from '../core/ports.js';
import type { HookRun } from '../core/session/events.js';
import type { SessionState } from '../core/session/state.js';
import { Marks } from './marks.js';
import { TurnReports } from './turn-reports.js';

/** The stages between an accepted prompt and the first request: gather what belongs to it, let the hooks see it, make it messages. */
@Injectable()
export class PrepareTurn {
  constructor(
    private readonly reports: TurnReports,
    private readonly hooks: Hooks,
    private readonly clock: Clock,
  ) {}

  async run(job: Job['payload'], state: SessionState, submission: Submission, signal: AbortSignal): Promise<void> {
    const { permissionMode } = state.settings;
    const marks = new Marks(this.clock);
    marks.mark('query_process_user_input_start');
    marks.mark('query_process_user_input_base_start');
    marks.mark('query_attachment_loading_start');
    marks.mark('query_attachment_loading_end');
    marks.mark('query_process_user_input_base_end');
    marks.mark('query_hooks_start');
    const hookRuns = await this.#runHooks(job.sessionId, permissionMode, submission, signal);
    marks.mark('query_hooks_end');
    const prepared = preparePrompt(submission, hookRuns, {
      permissionMode,
      at: new Date(this.clock.now()).toISOString(),
      uuid: () => this.clock.uuid(),
    });
    marks.mark('query_process_user_input_end');
    await this.reports.report(job, 'prepare', { type: 'PrepareTurn', turnId: job.turnId, ...prepared, hookRuns, checkpoints: marks.all() });
  }

  #runHooks(sessionId: string, permissionMode: string, submission: Submission, signal: AbortSignal): Promise<readonly HookRun[]> {
    const { workload } = submission;
    return this.hooks.run(
      { event: 'UserPromptSubmit', sessionId, permissionMode, input: { prompt: textOf(submission.value) }, ...(workload === undefined ? {} : { workload }) },
      signal,
    );
  }
}
