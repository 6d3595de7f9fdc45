import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { compactionLimits, type CompactionSettings } from '../../platform/config/limits.js';
import { COMPACT } from '../../session/compaction/requested.js';
import { Clock, Telemetry } from '../../ports/index.js';
import type { CommandResult } from './context.js';
import { defineCommand } from './define-command.js';
import { Executor } from './execute.js';
import { type SubmissionAnswer, submissionAnswer } from './prompt-submission.js';

export interface CompactionRequest {
  /** Instructions for the summary; null: none. */
  readonly instructions: string | null;
}

/** Compacts the conversation in a separate turn, which is queued and interrupted like the turn of a prompt. */
export class CompactCommand extends defineCommand<CompactionRequest, SubmissionAnswer>({ action: 'session.prompt' }) {}

@CommandHandler(CompactCommand)
export class CompactHandler implements ICommandHandler<CompactCommand> {
  constructor(
    private readonly executor: Executor,
    private readonly clock: Clock,
    private readonly telemetry: Telemetry,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'MAX_QUEUED_PROMPTS'> & CompactionSettings,
  ) {}

  async execute({ context, instructions }: CompactCommand): Promise<CommandResult & SubmissionAnswer> {
    const value = (instructions ?? '').trim();
    const ids = { promptId: this.clock.uuid(), turnId: this.clock.uuid(), uuid: this.clock.uuid() };
    const { workload } = context;
    const traceparent = this.telemetry.traceContext();
    const tags = { ...(workload === undefined ? {} : { workload }), ...(traceparent === null ? {} : { traceparent }) };
    const executed = await this.executor.execute(context, {
      type: 'SubmitPrompt',
      submission: { ...ids, mode: 'compact', original: instructions ?? '', value, route: COMPACT, ...tags },
      whenBusy: 'enqueue',
      maxQueued: this.settings.MAX_QUEUED_PROMPTS,
      compaction: compactionLimits(this.settings),
    });
    return submissionAnswer(executed);
  }
}
