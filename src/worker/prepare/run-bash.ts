import { Injectable } from '@nestjs/common';
import { SHELL_TOOL, shellInput, shellOutput } from '../../core/prompt/shell.js';
import { textOf } from '../../core/message/content.js';
import { OUTCOME_UNKNOWN } from '../../core/message/wire-texts.js';
import { Clock, LiveBus, type ToolOutcome, Tools } from '../../core/ports.js';
import type { SessionState } from '../../core/session/state.js';
import { TurnReports } from '../turn-reports.js';
import type { CheckpointRecorder } from './checkpoints.js';
import type { PromptDraft, Stage } from './prompt-draft.js';

/**
 * Runs what was typed in bash mode and makes it messages; the model is not asked. That it is about to run is on record before it does, so that a worker that
 * takes over knows better than to run it again. Any other prompt passes as it is.
 */
@Injectable()
export class RunBash implements Stage {
  constructor(
    private readonly tools: Tools,
    private readonly reports: TurnReports,
    private readonly live: LiveBus,
    private readonly clock: Clock,
  ) {}

  async run(prompt: PromptDraft, _state: SessionState, _marks: CheckpointRecorder, signal: AbortSignal): Promise<PromptDraft> {
    const { submission } = prompt;
    if (submission.mode !== 'bash') return prompt;
    const asked = this.#at();
    const command = textOf(submission.value);
    const { events, replayed } = await this.reports.report(prompt, 'shell', {
      type: 'StartShell',
      turnId: prompt.turnId,
      name: SHELL_TOOL,
      input: { command },
    });
    const isFirst = !replayed && events.length > 0;
    const outcome = isFirst ? await this.#run(prompt, command, signal) : { content: OUTCOME_UNKNOWN, isError: true };
    const output = shellOutput({ text: textOf(outcome.content), isError: outcome.isError }, this.clock.uuid(), this.#at());
    return { ...prompt, expanded: [shellInput(submission, asked), output], callsModel: false };
  }

  #run({ tenantId, sessionId, turnId, settings, submission }: PromptDraft, command: string, signal: AbortSignal): Promise<ToolOutcome> {
    const { promptId: toolUseId, workload } = submission;
    const { permissionMode } = settings;
    return this.tools.run(
      { tenantId, sessionId, turnId, toolUseId, name: SHELL_TOOL, input: { command }, permissionMode, ...(workload === undefined ? {} : { workload }) },
      (data) => this.live.publish({ kind: 'delta', sessionId, type: 'tool.progress', data: { turnId, toolUseId, name: SHELL_TOOL, data } }),
      signal,
    );
  }

  #at(): string {
    return this.clock.timestamp();
  }
}
