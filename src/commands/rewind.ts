import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { deriveId } from '../core/message/ids.js';
import type { PermissionMode } from '../core/message/message.js';
import { Clock, GateSource, LiveBus, Sessions } from '../core/ports.js';
import { type ClientSubmission, resubmission } from '../core/prompt/accept.js';
import { type CommandContext, type CommandResult, OWN_REQUEST } from './context.js';
import { eventOf, type Executed, Executor } from './execute.js';
import { turnSettled } from './turn-settled.js';

export type RewindTarget = { readonly before: string } | { readonly after: string };

export interface RewindAnswer {
  /** Id of the rewind, for `restore`. */
  readonly id: string;
  readonly head: string | null;
  readonly removed: readonly string[];
  readonly permissionMode: PermissionMode;
  /** With `before` a prompt: its submission, to be sent again. */
  readonly prompt?: ClientSubmission;
}

/** Moves the head of the conversation back to before or after a message; nothing is deleted. */
export class RewindCommand extends Command<CommandResult & RewindAnswer> {
  constructor(
    readonly context: CommandContext,
    readonly target: RewindTarget,
    readonly reason: string | null,
    /** Interrupt a running turn first instead of rejecting the rewind. */
    readonly interrupt: boolean,
  ) {
    super();
  }
}

/** How long a rewind waits for the interrupted turn to end. */
const SETTLE_MS = 15_000;

@CommandHandler(RewindCommand)
export class RewindHandler implements ICommandHandler<RewindCommand> {
  constructor(
    private readonly executor: Executor,
    private readonly sessions: Sessions,
    private readonly live: LiveBus,
    private readonly clock: Clock,
    private readonly gates: GateSource,
  ) {}

  async execute(command: RewindCommand): Promise<CommandResult & RewindAnswer> {
    // A repeat must not interrupt the turn that runs now, so the receipt is checked first.
    const earlier = command.interrupt ? await this.executor.replay(command.context) : null;
    const { state, events, replayed } = earlier ?? (command.interrupt ? await this.#interruptFirst(command) : await this.#rewind(command));
    const { rewindId, to, removed, permissionMode, before } = eventOf(events, 'session.rewound');
    const promptId = before === undefined ? null : state.messages.get(before)?.promptId;
    const prompt = promptId ? state.prompts.get(promptId)?.submission : undefined;
    return {
      version: state.version,
      replayed,
      id: rewindId,
      head: to,
      removed,
      permissionMode,
      ...(prompt === undefined ? {} : { prompt: resubmission(prompt) }),
    };
  }

  #rewind({ context, target, reason }: RewindCommand): Promise<Executed> {
    return this.executor.execute(context, { type: 'Rewind', rewindId: this.clock.uuid(), target, reason });
  }

  /** Interrupts the running turn, then rewinds. If a queued prompt starts in between, its turn is not interrupted and the rewind is rejected. */
  async #interruptFirst(command: RewindCommand): Promise<Executed> {
    const { principal, sessionId, commandId } = command.context;
    const context = { ...command.context, expectedVersion: null };
    const { events } = await this.executor.execute(
      // A derived id: a rewind that is repeated after a crash in between finds its own interrupt.
      { ...context, commandId: deriveId(commandId, 'interrupt'), requestHash: OWN_REQUEST },
      {
        type: 'Interrupt',
        reason: 'a rewind',
        at: this.clock.timestamp(),
        seed: this.clock.uuid(),
        gates: await this.gates.intake(principal.tenantId),
      },
    );
    const requested = events.find(({ type }) => type === 'turn.interrupt_requested');
    const turnId = requested?.type === 'turn.interrupt_requested' ? requested.data.turnId : null;
    if (turnId !== null) await turnSettled(this.sessions, this.live, principal.tenantId, sessionId, turnId, SETTLE_MS);
    return this.#rewind(new RewindCommand(context, command.target, command.reason, false));
  }
}
