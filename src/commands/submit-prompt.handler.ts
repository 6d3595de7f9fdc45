import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Inject } from '@nestjs/common';
import { acceptSubmission } from '../core/prompt/accept.js';
import { SHELL_TOOL } from '../core/prompt/shell.js';
import { Blobs, Clock, Limits, Sessions, Telemetry, Tools } from '../core/ports.js';
import type { Carried } from './context.js';
import { eventOf } from './event-of.js';
import { type Executed, Executor } from './execute.js';
import { keepFiles } from './store-uploads.js';
import { Routing } from './slash/routing.js';
import { type SubmissionAnswer, SubmitPromptCommand } from './submit-prompt.command.js';

@CommandHandler(SubmitPromptCommand)
export class SubmitPromptHandler implements ICommandHandler<SubmitPromptCommand> {
  constructor(
    private readonly executor: Executor,
    private readonly routing: Routing,
    private readonly clock: Clock,
    private readonly telemetry: Telemetry,
    @Inject(Limits) private readonly limits: Limits,
    private readonly blobs: Blobs,
    private readonly sessions: Sessions,
    private readonly tools: Tools,
  ) {}

  async execute({ context, submission }: SubmitPromptCommand): Promise<Carried & SubmissionAnswer> {
    const { whenBusy, uuid, ...given } = submission;
    const traceparent = this.telemetry.traceContext();
    const ids = {
      promptId: this.clock.uuid(),
      turnId: this.clock.uuid(),
      uuid: uuid ?? this.clock.uuid(),
      ...(traceparent === null ? {} : { traceparent }),
    };
    const { blobs, sessions, limits } = this;
    const accepted = await keepFiles(context, given, acceptSubmission(given, ids, { maxCharacters: limits.maxPromptCharacters }), { blobs, sessions, limits });
    const routed = await this.routing.route(context.principal, context.sessionId, accepted);
    const executed = await this.executor.execute(context, {
      type: 'SubmitPrompt',
      ...routed,
      whenBusy,
      maxQueued: this.limits.maxQueuedPrompts,
      hasShell: accepted.mode === 'bash' && (await this.tools.offered(context.principal.tenantId)).some(({ name }) => name === SHELL_TOOL),
      compaction: this.limits.compaction,
    });
    return submissionAnswer(executed);
  }
}

/** What the client is told of a submission: that it has started, where it waits, or its answer. */
export function submissionAnswer({ state, events, replayed }: Executed): Carried & SubmissionAnswer {
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
