import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Inject } from '@nestjs/common';
import { acceptSubmission } from '../core/intake/accept.js';
import { Clock, Limits } from '../core/ports.js';
import type { Carried } from './context.js';
import { eventOf } from './event-of.js';
import { Executor } from './execute.js';
import { Routing } from './slash/routing.js';
import { type SubmissionAnswer, SubmitPromptCommand } from './submit-prompt.command.js';

@CommandHandler(SubmitPromptCommand)
export class SubmitPromptHandler implements ICommandHandler<SubmitPromptCommand> {
  constructor(
    private readonly executor: Executor,
    private readonly routing: Routing,
    private readonly clock: Clock,
    @Inject(Limits) private readonly limits: Limits,
  ) {}

  async execute({ context, submission }: SubmitPromptCommand): Promise<Carried & SubmissionAnswer> {
    const { whenBusy, uuid, ...given } = submission;
    const ids = { promptId: this.clock.uuid(), turnId: this.clock.uuid(), uuid: uuid ?? this.clock.uuid() };
    const accepted = acceptSubmission(given, ids, { maxCharacters: this.limits.maxPromptCharacters });
    const routed = await this.routing.route(context.principal, context.sessionId, accepted);
    const { state, events, replayed } = await this.executor.execute(context, {
      type: 'SubmitPrompt',
      ...routed,
      whenBusy,
      maxQueued: this.limits.maxQueuedPrompts,
    });
    const submitted = eventOf(events, 'prompt.submitted');
    const queued = events.find((event) => event.type === 'prompt.queued');
    return {
      version: state.version,
      replayed,
      promptId: submitted.submission.promptId,
      disposition: submitted.disposition,
      ...(submitted.disposition === 'answered' ? {} : { turnId: submitted.submission.turnId }),
      ...(queued ? { position: queued.data.position } : {}),
      ...(submitted.display === undefined ? {} : { display: submitted.display }),
    };
  }
}
