import { Injectable } from '@nestjs/common';
import { deriveId } from '../../../packages/protocol/message/ids.js';
import { Clock, GateSource, LiveBus, Sessions } from '../../ports/index.js';
import { type CommandContext, OWN_REQUEST } from './context.js';
import { Executor } from './execute.js';
import { turnEnded } from './turn-ended.js';

/** How long a command waits for the turn that it interrupted to end. */
const END_MS = 15_000;

/** Interrupts the running turn on behalf of a command that needs the session to be idle. */
@Injectable()
export class InterruptFirst {
  constructor(
    private readonly executor: Executor,
    private readonly sessions: Sessions,
    private readonly live: LiveBus,
    private readonly clock: Clock,
    private readonly gates: GateSource,
  ) {}

  /**
   * Resolves when the turn has ended, at once when none runs; throws `session_busy` when it does not end in time. A queued prompt that starts then is not
   * interrupted, except with `withdrawsQueued`, which empties the queue first. Returns the context for the command itself: the interrupt has changed the
   * session's version.
   */
  async interrupt(given: CommandContext, reason: string, { withdrawsQueued = false } = {}): Promise<CommandContext> {
    const { principal, sessionId, commandId } = given;
    const context = { ...given, expectedVersion: null };
    const { events, state } = await this.executor.execute(
      // A derived id: a command that is repeated after a crash in between finds its own interrupt.
      { ...context, commandId: deriveId(commandId, 'interrupt'), requestHash: OWN_REQUEST },
      { type: 'Interrupt', reason, withdrawsQueued, at: this.clock.timestamp(), seed: this.clock.uuid(), gates: await this.gates.intake(principal.tenantId) },
    );
    const requested = events.find(({ type }) => type === 'turn.interrupt_requested');
    // Without its own event: the turn may have been interrupted by an earlier command and still be running.
    const interrupted = state.turn?.interruptRequested === true ? state.turn.turnId : null;
    const turnId = requested?.type === 'turn.interrupt_requested' ? requested.data.turnId : interrupted;
    if (turnId !== null) await turnEnded(this.sessions, this.live, principal.tenantId, sessionId, turnId, END_MS);
    return context;
  }
}
