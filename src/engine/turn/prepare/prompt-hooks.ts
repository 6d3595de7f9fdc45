import { Injectable } from '@nestjs/common';
import { textOf } from '../../../../packages/protocol/message/content.js';
import { type HookContext, TurnHooks } from '../hooks/turn-hooks.js';
import type { CheckpointRecorder } from './checkpoints.js';
import type { PromptDraft } from './prompt-draft.js';
import type { SessionSource } from '../../../session/state/state.js';
import type { HookRun } from '../../../../packages/protocol/hooks/hook-run.js';

/** Runs SessionStart hooks when the session starts, and UserPromptSubmit hooks. */
@Injectable()
export class PromptHooks {
  constructor(private readonly hooks: TurnHooks) {}

  /** `start`: source of the session start that SessionStart hooks have not run for; null: none. */
  async runHooks(prompt: PromptDraft, start: SessionSource | null, marks: CheckpointRecorder, signal: AbortSignal): Promise<readonly HookRun[]> {
    marks.mark('query_hooks_start');
    const runs = [...(await this.#atStart(prompt, start, signal)), ...(await this.#onPrompt(prompt, signal))];
    marks.mark('query_hooks_end');
    return runs;
  }

  async #atStart(prompt: PromptDraft, source: SessionSource | null, signal: AbortSignal): Promise<readonly HookRun[]> {
    if (source === null) return [];
    return (await this.hooks.sessionStart(contextOf(prompt), { source, model: prompt.settings.model }, signal)).runs;
  }

  /** Only for a prompt that calls the model. */
  async #onPrompt(prompt: PromptDraft, signal: AbortSignal): Promise<readonly HookRun[]> {
    if (!prompt.callsModel) return [];
    return (await this.hooks.userPromptSubmit(contextOf(prompt), textOf(prompt.content), signal)).runs;
  }
}

function contextOf({ tenantId, sessionId, settings, submission }: PromptDraft): HookContext {
  const { workload } = submission;
  return { tenantId, sessionId, permissionMode: settings.permissionMode, ...(workload === undefined ? {} : { workload }) };
}
