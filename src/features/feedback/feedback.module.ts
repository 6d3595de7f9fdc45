import { Feature } from '../../engine/feature.js';
import { FeedbackController } from './feedback.controller.js';
import { RecordFeedbackCommand } from './record-feedback.js';

@Feature({
  routes: [FeedbackController],
  commands: [RecordFeedbackCommand],
})
export class FeedbackModule {}
