import { Feature } from '../../engine/feature.js';
import { FeedbackController } from './feedback.controller.js';
import { RecordFeedbackHandler } from './record-feedback.js';

@Feature({
  routes: [FeedbackController],
  commands: [RecordFeedbackHandler],
})
export class FeedbackModule {}
