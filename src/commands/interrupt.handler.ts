import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock, GateSource } from '../core/ports.js';
import type { Carried } from './context.js';
import { Executor } from './execute.js';
import { InterruptCommand } from './interrupt.command.js';

@CommandHandler(InterruptCommand)
export class InterruptHandler implements ICommandHandler<InterruptCommand> {
  constructor(
    private readonly executor: Executor,
    private readonly clock: Clock,
    private readonly gates: GateSource,
  ) {}

  async execute({ context, reason }: InterruptCommand): Promise<Carried & { readonly interrupted: boolean }> {
    const { state, events, replayed } = await this.executor.execute(context, {
      type: 'Interrupt',
      reason,
      at: this.clock.timestamp(),
      seed: this.clock.uuid(),
      gates: await this.gates.intake(context.principal.tenantId),
    });
    return { version: state.version, replayed, interrupted: events.length > 0 };
  }
}
