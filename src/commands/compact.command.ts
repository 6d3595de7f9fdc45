import { Command } from '@nestjs/cqrs';
import type { Carried, CommandContext } from './context.js';
import type { SubmissionAnswer } from './submit-prompt.command.js';

/** Has the conversation so far summed up, as a turn of its own: it waits like a prompt, and can be interrupted like one. */
export class CompactCommand extends Command<Carried & SubmissionAnswer> {
  constructor(
    readonly context: CommandContext,
    /** What is wanted of the summary; null = nothing in particular. */
    readonly instructions: string | null,
  ) {
    super();
  }
}
