import { Command } from '@nestjs/cqrs';
import type { CommandContext, CommandResult } from './context.js';
import { forwardingHandler } from './forwarding-handler.js';

/** Requests that the running turn stops. `interrupted`: a turn was running, and no earlier request had been made to stop it. */
export class InterruptCommand extends Command<CommandResult & { readonly interrupted: boolean }> {
  constructor(
    readonly context: CommandContext,
    readonly reason: string | null,
  ) {
    super();
  }
}

export const InterruptHandler = forwardingHandler(
  InterruptCommand,
  async ({ context, reason }, { clock, gates }) => ({
    type: 'Interrupt',
    reason,
    at: clock.timestamp(),
    seed: clock.uuid(),
    gates: await gates.intake(context.principal.tenantId),
  }),
  ({ events }) => ({ interrupted: events.length > 0 }),
);
