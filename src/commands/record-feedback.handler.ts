import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock } from '../core/ports.js';
import type { Feedback } from '../core/session/events.js';
import type { Carried } from './context.js';
import { eventOf } from './event-of.js';
import { Executor } from './execute.js';
import { RecordFeedbackCommand } from './record-feedback.command.js';

@CommandHandler(RecordFeedbackCommand)
export class RecordFeedbackHandler implements ICommandHandler<RecordFeedbackCommand> {
  constructor(
    private readonly executor: Executor,
    private readonly clock: Clock,
  ) {}

  async execute({ context, feedback }: RecordFeedbackCommand): Promise<Carried & Feedback> {
    const { state, events, replayed } = await this.executor.execute(context, {
      type: 'RecordFeedback',
      feedback: { feedbackId: this.clock.uuid(), ...feedback },
    });
    return { version: state.version, replayed, ...eventOf(events, 'feedback.recorded') };
  }
}
