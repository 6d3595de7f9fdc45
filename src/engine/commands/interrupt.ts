import { defineCommand } from './define-command.js';

/** Requests that the running turn stops. `interrupted`: a turn was running, and no earlier request had been made to stop it. */
export class InterruptCommand extends defineCommand<{ reason: string | null }, { readonly interrupted: boolean }>({
  action: 'session.prompt',
  rule: async ({ context, reason }, { clock, gates }) => ({
    type: 'Interrupt',
    reason,
    at: clock.timestamp(),
    seed: clock.uuid(),
    gates: await gates.intake(context.principal.tenantId),
  }),
  answer: ({ events }) => ({ interrupted: events.length > 0 }),
}) {}
