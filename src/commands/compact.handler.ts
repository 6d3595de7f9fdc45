import { COMPACT } from '../core/compaction/requested.js';
import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock, Limits, Telemetry } from '../core/ports.js';
import { CompactCommand } from './compact.command.js';
import type { Carried } from './context.js';
import { Executor } from './execute.js';
import type { SubmissionAnswer } from './submit-prompt.command.js';
import { submissionAnswer } from './submit-prompt.handler.js';

@CommandHandler(CompactCommand)
export class CompactHandler implements ICommandHandler<CompactCommand> {
  constructor(
    private readonly executor: Executor,
    private readonly clock: Clock,
    private readonly telemetry: Telemetry,
    @Inject(Limits) private readonly limits: Limits,
  ) {}

  async execute({ context, instructions }: CompactCommand): Promise<Carried & SubmissionAnswer> {
    const value = (instructions ?? '').trim();
    const ids = { promptId: this.clock.uuid(), turnId: this.clock.uuid(), uuid: this.clock.uuid() };
    const { workload } = context;
    const traceparent = this.telemetry.traceContext();
    const tags = { ...(workload === undefined ? {} : { workload }), ...(traceparent === null ? {} : { traceparent }) };
    const executed = await this.executor.execute(context, {
      type: 'SubmitPrompt',
      submission: { ...ids, mode: 'compact', original: instructions ?? '', value, route: COMPACT, ...tags },
      whenBusy: 'enqueue',
      maxQueued: this.limits.maxQueuedPrompts,
      compaction: this.limits.compaction,
    });
    return submissionAnswer(executed);
  }
}
