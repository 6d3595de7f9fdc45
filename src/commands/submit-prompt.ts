import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Settings, SETTINGS } from '../config/env.js';
import { compactionLimits, type CompactionSettings, fileLimits, type FileSettings } from '../config/limits.js';
import type { Json } from '../core/message/content.js';
import { Blobs, Clock, Sessions, Telemetry, Tools } from '../core/ports.js';
import { acceptSubmission, type ClientSubmission } from '../core/prompt/accept.js';
import { SHELL_TOOL } from '../core/prompt/shell.js';
import type { WhenBusy } from '../core/session/commands.js';
import type { CommandContext, CommandResult } from './context.js';
import { eventOf, type Executed, Executor } from './execute.js';
import { Routing } from './slash/routing.js';
import { storeUploads } from './store-uploads.js';

/** A submission as the client sent it: shape validated, text unchanged. */
export interface SubmissionInput extends ClientSubmission {
  readonly whenBusy: WhenBusy;
  /** Uuid of the user message, chosen by the client. */
  readonly uuid?: string;
}

export interface SubmissionAnswer {
  readonly promptId: string;
  readonly disposition: 'started' | 'queued' | 'answered';
  /** The turn that answers it; absent when it was answered at once. */
  readonly turnId?: string;
  /** Position in the queue, from 1, when it is queued. */
  readonly position?: number;
  /** For the client to show, when it was answered at once. */
  readonly display?: Json;
  readonly messages?: readonly Json[];
}

/** Submits a prompt: it starts a turn, is queued, or is answered at once. */
export class SubmitPromptCommand extends Command<CommandResult & SubmissionAnswer> {
  constructor(
    readonly context: CommandContext,
    readonly submission: SubmissionInput,
  ) {
    super();
  }
}

@CommandHandler(SubmitPromptCommand)
export class SubmitPromptHandler implements ICommandHandler<SubmitPromptCommand> {
  constructor(
    private readonly executor: Executor,
    private readonly routing: Routing,
    private readonly clock: Clock,
    private readonly telemetry: Telemetry,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'MAX_PROMPT_CHARACTERS' | 'MAX_QUEUED_PROMPTS'> & FileSettings & CompactionSettings,
    private readonly blobs: Blobs,
    private readonly sessions: Sessions,
    private readonly tools: Tools,
  ) {}

  async execute({ context, submission }: SubmitPromptCommand): Promise<CommandResult & SubmissionAnswer> {
    const { whenBusy, uuid, ...given } = submission;
    const traceparent = this.telemetry.traceContext();
    const ids = {
      promptId: this.clock.uuid(),
      turnId: this.clock.uuid(),
      uuid: uuid ?? this.clock.uuid(),
      ...(traceparent === null ? {} : { traceparent }),
    };
    const { blobs, sessions, settings } = this;
    const accepted = await storeUploads(context, given, acceptSubmission(given, ids, { maxCharacters: settings.MAX_PROMPT_CHARACTERS }), {
      blobs,
      sessions,
      limits: fileLimits(settings),
    });
    const routed = await this.routing.route(context.principal, context.sessionId, accepted);
    const executed = await this.executor.execute(context, {
      type: 'SubmitPrompt',
      ...routed,
      whenBusy,
      maxQueued: settings.MAX_QUEUED_PROMPTS,
      hasShell: accepted.mode === 'bash' && (await this.tools.offered(context.principal.tenantId)).some(({ name }) => name === SHELL_TOOL),
      compaction: compactionLimits(settings),
    });
    return submissionAnswer(executed);
  }
}

/** The result of a submission. On a repeat, that of the first execution. */
export function submissionAnswer({ state, events, replayed }: Executed): CommandResult & SubmissionAnswer {
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
