import { Injectable } from '@nestjs/common';
import { textOf } from '../../core/message/content.js';
import { Hooks } from '../../core/ports.js';
import type { HookRun } from '../../core/session/events.js';
import type { Marks } from './marks.js';
import type { PromptInHand } from './prompt-in-hand.js';

/** Lets the hooks see a prompt that is about to be sent. */
@Injectable()
export class PromptHooks {
  constructor(private readonly hooks: Hooks) {}

  async run({ tenantId, sessionId, settings, submission, content }: PromptInHand, marks: Marks, signal: AbortSignal): Promise<readonly HookRun[]> {
    const { permissionMode } = settings;
    const { workload } = submission;
    marks.mark('query_hooks_start');
    const runs = await this.hooks.run(
      { event: 'UserPromptSubmit', tenantId, sessionId, permissionMode, input: { prompt: textOf(content) }, ...(workload === undefined ? {} : { workload }) },
      signal,
    );
    marks.mark('query_hooks_end');
    return runs;
  }
}
