import { Inject, Injectable } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { compactionLimits, type CompactionSettings, fileLimits, type FileSettings } from '../../platform/config/limits.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { blocksOf, type Json } from '../../../packages/protocol/message/content.js';
import { Blobs, Clock, Sessions, Telemetry, Tools } from '../../ports/index.js';
import { acceptSubmission, type ClientSubmission } from '../../session/prompt/accept.js';
import { SHELL_TOOL } from '../../session/prompt/shell.js';
import type { Replacement, WhenBusy } from '../../session/state/commands.js';
import type { ScheduleRun } from '../../session/state/schedules.js';
import { Admission, type Complete } from './admission.js';
import type { CommandContext, CommandResult } from './context.js';
import { eventOf, type Executed, Executor } from './execute.js';
import { InterruptFirst } from './interrupt-first.js';
import { Routing } from '../slash/routing.js';
import { MessageMedia } from '../media/message-media.js';
import { storeAttachments } from '../media/store-attachments.js';
import { storeUploads } from './store-uploads.js';

export interface SubmissionTerms {
  readonly whenBusy: WhenBusy;
  /** Uuid of the user message, chosen by the client. */
  readonly uuid?: string;
  /** The prompt that it takes the place of. With `whenBusy: interrupt` a running turn is interrupted first; otherwise it is rejected while one runs. */
  readonly replaces?: Omit<Replacement, 'rewindId'>;
  /** The run of a schedule that submits it. */
  readonly run?: ScheduleRun;
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
  /** The rewind that removed the replaced prompt and what followed it. */
  readonly rewind?: { readonly id: string; readonly removed: readonly string[] };
}

/** Accepts submissions of clients: stores their files, decides their route, and executes them. */
@Injectable()
export class PromptSubmission {
  constructor(
    private readonly executor: Executor,
    private readonly interruptFirst: InterruptFirst,
    private readonly routing: Routing,
    private readonly clock: Clock,
    private readonly telemetry: Telemetry,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'MAX_PROMPT_CHARACTERS' | 'MAX_QUEUED_PROMPTS'> & FileSettings & CompactionSettings,
    private readonly blobs: Blobs,
    private readonly sessions: Sessions,
    private readonly tools: Tools,
    private readonly admission: Admission,
    private readonly media: MessageMedia,
  ) {}

  async submit(context: CommandContext, given: ClientSubmission, terms: SubmissionTerms): Promise<CommandResult & SubmissionAnswer> {
    const interrupts = replacesRunning(terms);
    // A repeat must not interrupt the turn that runs now, so the receipt is checked first.
    const earlier = interrupts ? await this.executor.replay(context) : null;
    if (earlier) return submissionAnswer(earlier);
    const complete = await this.#admit(context, given);
    try {
      const answer = await this.#submit(context, given, terms);
      complete(!answer.replayed);
      return answer;
    } catch (error) {
      complete(false);
      throw error;
    }
  }

  async #submit(context: CommandContext, given: ClientSubmission, terms: SubmissionTerms): Promise<CommandResult & SubmissionAnswer> {
    const { whenBusy, uuid, replaces, run } = terms;
    const { blobs, sessions, media, settings } = this;
    const uploaded = await storeUploads(context, given, acceptSubmission(given, this.#ids(uuid), { maxCharacters: settings.MAX_PROMPT_CHARACTERS }), {
      blobs,
      sessions,
      limits: fileLimits(settings),
    });
    const { attachments } = uploaded;
    const accepted =
      attachments === undefined ? uploaded : { ...uploaded, attachments: await storeAttachments(context, attachments, { blobs, sessions, media }) };
    const routed = await this.routing.route(context.principal, context.sessionId, accepted);
    // As in a terminal, an exit does not wait for the turn that runs.
    const exits = routed.submission.route?.kind === 'exit' && whenBusy !== 'reject';
    const ended = exits ? await this.executor.replay(context) : null;
    if (ended) return submissionAnswer(ended);
    const own = await this.#interrupted(context, replacesRunning(terms), exits);
    const tokenId = await this.admission.limitedToken(context.principal);
    const executed = await this.executor.execute(own, {
      type: 'SubmitPrompt',
      ...routed,
      ...(tokenId === null ? {} : { submission: { ...routed.submission, tokenId } }),
      whenBusy,
      maxQueued: settings.MAX_QUEUED_PROMPTS,
      hasShell: accepted.mode === 'bash' && (await this.tools.offered(context.principal.tenantId)).some(({ name }) => name === SHELL_TOOL),
      compaction: compactionLimits(settings),
      ...(replaces === undefined ? {} : { replaces: { ...replaces, rewindId: this.clock.uuid() } }),
      ...(run === undefined ? {} : { run }),
    });
    return submissionAnswer(executed);
  }

  /** A repeat was admitted before. */
  async #admit(context: CommandContext, { input, pastedContents }: ClientSubmission): Promise<Complete> {
    const hasFiles = pastedContents !== undefined || blocksOf(input).some(({ type }) => type !== 'text');
    try {
      return await this.admission.prompt({ ...context.principal, sessionId: context.sessionId }, hasFiles);
    } catch (error) {
      if (!(error instanceof DomainError) || !(await this.executor.replay(context))) throw error;
      return () => undefined;
    }
  }

  async #interrupted(context: CommandContext, interrupts: boolean, exits: boolean): Promise<CommandContext> {
    if (exits) return this.interruptFirst.interrupt(context, 'exit', { withdrawsQueued: true });
    return interrupts ? this.interruptFirst.interrupt(context, 'a prompt that replaces an earlier one') : context;
  }

  #ids(uuid: string | undefined) {
    const traceparent = this.telemetry.traceContext();
    const { clock } = this;
    return { promptId: clock.uuid(), turnId: clock.uuid(), uuid: uuid ?? clock.uuid(), ...(traceparent === null ? {} : { traceparent }) };
  }
}

/** Whether a running turn is interrupted for this prompt. */
const replacesRunning = ({ whenBusy, replaces }: SubmissionTerms): boolean => replaces !== undefined && whenBusy === 'interrupt';

/** The result of a submission. On a repeat, that of the first execution. */
export function submissionAnswer({ version, events, replayed }: Executed): CommandResult & SubmissionAnswer {
  const submitted = eventOf(events, 'prompt.submitted');
  const queued = events.find((event) => event.type === 'prompt.queued');
  const rewound = events.find((event) => event.type === 'session.rewound');
  return {
    version,
    replayed,
    promptId: submitted.submission.promptId,
    disposition: submitted.disposition,
    ...(submitted.disposition === 'answered' ? {} : { turnId: submitted.submission.turnId }),
    ...(queued ? { position: queued.data.position } : {}),
    ...(submitted.display === undefined ? {} : { display: submitted.display }),
    ...(rewound ? { rewind: { id: rewound.data.rewindId, removed: rewound.data.removed } } : {}),
  };
}
