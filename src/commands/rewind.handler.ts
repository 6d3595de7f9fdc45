import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock, GateSource, LiveBus, Sessions } from '../core/ports.js';
import { type Carried, OWN_REQUEST } from './context.js';
import { eventOf } from './event-of.js';
import { type Executed, Executor } from './execute.js';
import { type RewindAnswer, RewindCommand } from './rewind.command.js';
import { turnSettled } from './turn-settled.js';

@CommandHandler(RewindCommand)
export class RewindHandler implements ICommandHandler<RewindCommand> {
  constructor(
    private readonly executor: Executor,
    private readonly sessions: Sessions,
    private readonly live: LiveBus,
    private readonly clock: Clock,
    private readonly gates: GateSource,
  ) {}

  async execute(command: RewindCommand): Promise<Carried & RewindAnswer> {
    const { state, events, replayed } = command.interrupt ? await this.#interruptFirst(command) : await this.#rewind(command);
    const { rewindId, to, removed, permissionMode, before } = eventOf(events, 'session.rewound');
    const promptId = before === undefined ? null : state.messages.get(before)?.promptId;
    const prompt = promptId ? state.prompts.get(promptId)?.submission.original : undefined;
    return { version: state.version, replayed, id: rewindId, head: to, removed, permissionMode, ...(prompt === undefined ? {} : { prompt }) };
  }

  #rewind({ context, target, reason }: RewindCommand): Promise<Executed> {
    return this.executor.execute(context, { type: 'Rewind', rewindId: this.clock.uuid(), target, reason });
  }

  /** Stops the turn that runs, then rewinds. A prompt that waited and starts in between is nobody's to interrupt: the rewind is refused then. */
  async #interruptFirst(command: RewindCommand): Promise<Executed> {
    const { principal, sessionId } = command.context;
    const context = { ...command.context, expectedVersion: null };
    const { state } = await this.executor.execute(
      { ...context, commandId: this.clock.uuid(), requestHash: OWN_REQUEST },
      {
        type: 'Interrupt',
        reason: 'a rewind',
        at: this.clock.timestamp(),
        seed: this.clock.uuid(),
        gates: await this.gates.intake(principal.tenantId),
      },
    );
    const turnId = state.turn?.turnId;
    if (turnId) await turnSettled(this.sessions, this.live, principal.tenantId, sessionId, turnId, SETTLE_MS);
    return this.#rewind(new RewindCommand(context, command.target, command.reason, false));
  }
}

/** How long a rewind waits for the interrupted turn to come to rest. */
const SETTLE_MS = 15_000;
