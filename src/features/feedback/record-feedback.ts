import type { Feedback } from '../../../packages/protocol/events/events.js';
import { defineCommand } from '../../engine/commands/define-command.js';
import { eventOf } from '../../engine/commands/execute.js';

/** Records a rating of an answer. The caller has checked that its request may be used for training. */
export class RecordFeedbackCommand extends defineCommand<{ feedback: Omit<Feedback, 'feedbackId'> }, Feedback>({
  action: 'session.prompt',
  rule: ({ feedback }, { clock }) => ({ type: 'RecordFeedback', feedback: { feedbackId: clock.uuid(), ...feedback } }),
  answer: ({ events }) => eventOf(events, 'feedback.recorded'),
}) {}
