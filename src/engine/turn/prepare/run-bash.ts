import { Injectable } from '@nestjs/common';
import { SHELL_TOOL, shellInput, shellOutput } from '../../../session/prompt/shell.js';
import { textOf } from '../../../../packages/protocol/message/content.js';
import { forbidden } from '../../../session/permissions/decide-call.js';
import { OUTCOME_UNKNOWN } from '../../../../packages/protocol/message/wire-texts.js';
import { Clock, LiveBus, type ToolOutcome, Tools } from '../../../ports/index.js';
import type { SessionState } from '../../../session/state/state.js';
import { CallRules } from '../tools/call-rules.js';
import { TurnReports } from '../turn-reports.js';
import type { CheckpointRecorder } from './checkpoints.js';
import type { PromptDraft, Stage } from './prompt-draft.js';

/**
 * Runs a prompt in bash mode and turns it into messages; the model is not called. The start is recorded before the command runs, so that a worker that takes
 * over does not run it again. A command that a deny rule matches is not run. Other prompts pass unchanged.
 */
@Injectable()
export class RunBash implements Stage {
  constructor(
    private readonly tools: Tools,
    private readonly rules: CallRules,
    private readonly reports: TurnReports,
    private readonly live: LiveBus,
    private readonly clock: Clock,
  ) {}

  async apply(prompt: PromptDraft, state: SessionState, _marks: CheckpointRecorder, signal: AbortSignal): Promise<PromptDraft> {
    const { submission } = prompt;
    if (submission.mode !== 'bash') return prompt;
    const startedAt = this.#at();
    const command = textOf(submission.value);
    const denial = state.turn?.ranShell
      ? null
      : forbidden({ tool: { name: SHELL_TOOL }, input: { command }, rules: await this.rules.of(prompt.tenantId, state) });
    if (denial) return this.#expanded(prompt, startedAt, { content: denial.reason, isError: true });
    const { events, replayed } = await this.reports.report(prompt, 'shell', {
      type: 'StartShell',
      turnId: prompt.turnId,
      name: SHELL_TOOL,
      input: { command },
    });
    const isFirst = !replayed && events.length > 0;
    const outcome = isFirst ? await this.#execute(prompt, command, signal) : { content: OUTCOME_UNKNOWN, isError: true };
    return this.#expanded(prompt, startedAt, outcome);
  }

  #expanded(prompt: PromptDraft, startedAt: string, { content, isError }: Pick<ToolOutcome, 'content' | 'isError'>): PromptDraft {
    const output = shellOutput({ text: textOf(content), isError }, this.clock.uuid(), this.#at());
    return { ...prompt, expanded: [shellInput(prompt.submission, startedAt), output], callsModel: false };
  }

  #execute({ tenantId, sessionId, turnId, settings, submission }: PromptDraft, command: string, signal: AbortSignal): Promise<ToolOutcome> {
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
