import { Command } from '@nestjs/cqrs';
import type { Carried, CommandContext } from './context.js';

/** Asks the running turn to stop. `interrupted`: there was a turn that had not been asked before. */
export class InterruptCommand extends Command<Carried & { readonly interrupted: boolean }> {
  constructor(
    readonly context: CommandContext,
    readonly reason: string | null,
  ) {
    super();
  }
}
