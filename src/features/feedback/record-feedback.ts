import { Command } from '@nestjs/cqrs';
import type { Feedback } from '../../../packages/protocol/events/events.js';
import type { CommandContext, CommandResult } from '../../engine/commands/context.js';
import { eventOf } from '../../engine/commands/execute.js';
import { forwardingHandler } from '../../engine/commands/forwarding-handler.js';

/** Records a rating of an answer. The caller has checked that its request may be used for training. */
export class RecordFeedbackCommand extends Command<CommandResult & Feedback> {
  constructor(
    readonly context: CommandContext,
    readonly feedback: Omit<Feedback, 'feedbackId'>,
  ) {
    super();
  }
}

export const RecordFeedbackHandler = forwardingHandler(
  RecordFeedbackCommand,
  ({ feedback }, { clock }) => ({ type: 'RecordFeedback', feedback: { feedbackId: clock.uuid(), ...feedback } }),
  ({ events }): Feedback => eventOf(events, 'feedback.recorded'),
);
