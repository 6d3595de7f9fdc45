import { Command } from '@nestjs/cqrs';
import type { ClientSubmission } from '../core/prompt/accept.js';
import type { Json } from '../core/message/content.js';
import type { WhenBusy } from '../core/session/commands.js';
import type { Carried, CommandContext } from './context.js';

/** A submission as the client sent it: shapes checked, text untouched. */
export interface SubmissionInput extends ClientSubmission {
  readonly whenBusy: WhenBusy;
  /** The client's own choice of the user message's uuid. */
  readonly uuid?: string;
}

export interface SubmissionAnswer {
  readonly promptId: string;
  readonly disposition: 'started' | 'queued' | 'answered';
  /** The turn that answers it, when it has started. */
  readonly turnId?: string;
  /** Its place in the queue, from 1, when it waits. */
  readonly position?: number;
  /** What the client shows, when it was answered on the spot. */
  readonly display?: Json;
  readonly messages?: readonly Json[];
}

/** Gives the session a prompt: it starts a turn, waits for its own, or is answered at once. */
export class SubmitPromptCommand extends Command<Carried & SubmissionAnswer> {
  constructor(
    readonly context: CommandContext,
    readonly submission: SubmissionInput,
  ) {
    super();
  }
}
