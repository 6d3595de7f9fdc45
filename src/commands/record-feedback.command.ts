import { Command } from '@nestjs/cqrs';
import type { Feedback } from '../core/session/events.js';
import type { Carried, CommandContext } from './context.js';

/** Stores what somebody thinks of an answer. Whether its request may serve for training has been looked at before. */
export class RecordFeedbackCommand extends Command<Carried & Feedback> {
  constructor(
    readonly context: CommandContext,
    readonly feedback: Omit<Feedback, 'feedbackId'>,
  ) {
    super();
  }
}
