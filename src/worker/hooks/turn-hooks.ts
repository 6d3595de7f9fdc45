import { Injectable } from '@nestjs/common';
import { type HookVerdict, verdictOf } from '../../core/hooks/verdict.js';
import { type HookCall, Hooks, type ToolCall, type ToolOutcome } from '../../core/ports.js';
import type { SessionSource } from '../../core/session/session-source.js';
import type { HookRun } from '../../core/hooks/hook-run.js';

/** Where and for whom hooks run. */
export type HookContext = Pick<HookCall, 'tenantId' | 'sessionId' | 'permissionMode' | 'workload'>;

/** What the hooks of one event did, each for itself and all together. */
export interface HookFindings {
  /** To be recorded, each as an event. */
  readonly runs: readonly HookRun[];
  readonly verdict: HookVerdict;
}

/**
 * Runs the hooks of each event with the input that the public hooks reference names for it. Nothing here throws for what a hook does: one that fails,
 * floods or hangs is a run with that outcome.
 */
@Injectable()
export class TurnHooks {
  constructor(private readonly hooks: Hooks) {}

  /** `verdict.prevented` ends the turn; contexts stand in front of the prompt. */
  sessionStart(scene: HookContext, { source, model }: { source: SessionSource; model: string }, signal: AbortSignal): Promise<HookFindings> {
    return this.#run({ ...scene, event: 'SessionStart', subject: source, input: { source, model } }, signal);
  }

  /** `verdict.blocked`: the prompt is not sent. `verdict.updatedPrompt`: this is sent in its place. */
  userPromptSubmit(scene: HookContext, prompt: string, signal: AbortSignal): Promise<HookFindings> {
    return this.#run({ ...scene, event: 'UserPromptSubmit', input: { prompt } }, signal);
  }

  /** `verdict.decision` and its reason, `verdict.updatedInput` in place of the whole input. A denial is in `verdict.blocked` as well. */
  preToolUse(call: ToolCall, signal: AbortSignal): Promise<HookFindings> {
    const input = { tool_name: call.name, tool_input: call.input, tool_use_id: call.toolUseId };
    return this.#run({ ...sceneOf(call), event: 'PreToolUse', subject: call.name, input }, signal);
  }

  /** After a call that ran. `verdict.blocked` is what the model is to be told about its result, which stays as it is. */
  postToolUse(call: ToolCall, outcome: Pick<ToolOutcome, 'content' | 'toolUseResult'>, signal: AbortSignal): Promise<HookFindings> {
    const response = outcome.toolUseResult ?? (outcome.content as ToolCall['input']);
    const input = { tool_name: call.name, tool_input: call.input, tool_response: response, tool_use_id: call.toolUseId };
    return this.#run({ ...sceneOf(call), event: 'PostToolUse', subject: call.name, input }, signal);
  }

  /**
   * When the model wants to stop. `verdict.blocked`: it goes on, with this reason as what it is told. `active`: it goes on already because a Stop hook of this
   * turn said so, which the hook reads as `stop_hook_active` so as not to keep it going for ever.
   */
  stop(scene: HookContext, { active, lastText }: { active: boolean; lastText: string }, signal: AbortSignal): Promise<HookFindings> {
    return this.#run({ ...scene, event: 'Stop', input: { stop_hook_active: active, last_assistant_message: lastText } }, signal);
  }

  /** `verdict.blocked`: the conversation is not compacted. `instructions`: what the person who asked for it wrote; empty when nobody did. */
  preCompact(scene: HookContext, { trigger, instructions }: { trigger: 'manual' | 'auto'; instructions: string }, signal: AbortSignal): Promise<HookFindings> {
    return this.#run({ ...scene, event: 'PreCompact', subject: trigger, input: { trigger, custom_instructions: instructions } }, signal);
  }

  async #run(call: HookCall, signal: AbortSignal): Promise<HookFindings> {
    const runs = await this.hooks.run(call, signal);
    return { runs, verdict: verdictOf(runs) };
  }
}

const sceneOf = ({ tenantId, sessionId, permissionMode, workload }: ToolCall): HookContext => ({
  tenantId,
  sessionId,
  permissionMode,
  ...(workload === undefined ? {} : { workload }),
});
