import { Injectable } from '@nestjs/common';
import { type HookVerdict, verdictOf } from '../../../../packages/protocol/hooks/verdict.js';
import { type HookCall, Hooks, type ToolCall, type ToolOutcome } from '../../../ports/index.js';
import type { SessionSource } from '../../../session/state/state.js';
import type { HookRun } from '../../../../packages/protocol/hooks/hook-run.js';

/** Session and caller that hooks run for. */
export type HookContext = Pick<HookCall, 'tenantId' | 'sessionId' | 'permissionMode' | 'workload'>;

/** Runs of the hooks of one event and their combined verdict. */
export interface HookFindings {
  /** To be recorded, each as an event. */
  readonly runs: readonly HookRun[];
  readonly verdict: HookVerdict;
}

/**
 * Runs the hooks of each event with the input that the public hooks reference defines for it. A hook that fails, times out or exceeds its output limit is a
 * run with that outcome, never an exception.
 */
@Injectable()
export class TurnHooks {
  constructor(private readonly hooks: Hooks) {}

  /** `verdict.prevented` ends the turn; contexts are placed before the prompt. */
  sessionStart(context: HookContext, { source, model }: { source: SessionSource; model: string }, signal: AbortSignal): Promise<HookFindings> {
    return this.#run({ ...context, event: 'SessionStart', subject: source, input: { source, model } }, signal);
  }

  /** `verdict.blocked`: the prompt is not sent. `verdict.updatedPrompt`: replaces the prompt. */
  userPromptSubmit(context: HookContext, prompt: string, signal: AbortSignal): Promise<HookFindings> {
    return this.#run({ ...context, event: 'UserPromptSubmit', input: { prompt } }, signal);
  }

  /** `verdict.decision` and its reason; `verdict.updatedInput` replaces the whole input. A denial is in `verdict.blocked` as well. */
  preToolUse(call: ToolCall, signal: AbortSignal): Promise<HookFindings> {
    const input = { tool_name: call.name, tool_input: call.input, tool_use_id: call.toolUseId };
    return this.#run({ ...contextOf(call), event: 'PreToolUse', subject: call.name, input }, signal);
  }

  /** After a call that ran. `verdict.blocked`: text for the model about the result, which stays unchanged. */
  postToolUse(call: ToolCall, outcome: Pick<ToolOutcome, 'content' | 'toolUseResult'>, signal: AbortSignal): Promise<HookFindings> {
    const response = outcome.toolUseResult ?? (outcome.content as ToolCall['input']);
    const input = { tool_name: call.name, tool_input: call.input, tool_response: response, tool_use_id: call.toolUseId };
    return this.#run({ ...contextOf(call), event: 'PostToolUse', subject: call.name, input }, signal);
  }

  /**
   * When the model stops. `verdict.blocked`: the model continues, with this reason as input. `active`: a Stop hook of this turn has already made it continue;
   * hooks read it as `stop_hook_active`, to avoid an endless loop.
   */
  stop(context: HookContext, { active, lastText }: { active: boolean; lastText: string }, signal: AbortSignal): Promise<HookFindings> {
    return this.#run({ ...context, event: 'Stop', input: { stop_hook_active: active, last_assistant_message: lastText } }, signal);
  }

  /** `verdict.blocked`: the conversation is not compacted. `instructions`: those of the user; empty for an automatic compaction. */
  preCompact(
    context: HookContext,
    { trigger, instructions }: { trigger: 'manual' | 'auto'; instructions: string },
    signal: AbortSignal,
  ): Promise<HookFindings> {
    return this.#run({ ...context, event: 'PreCompact', subject: trigger, input: { trigger, custom_instructions: instructions } }, signal);
  }

  async #run(call: HookCall, signal: AbortSignal): Promise<HookFindings> {
    const runs = await this.hooks.run(call, signal);
    return { runs, verdict: verdictOf(runs) };
  }
}

const contextOf = ({ tenantId, sessionId, permissionMode, workload }: ToolCall): HookContext => ({
  tenantId,
  sessionId,
  permissionMode,
  ...(workload === undefined ? {} : { workload }),
});
