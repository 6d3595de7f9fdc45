import { Feature } from '../../engine/feature.js';
import { FeedbackController } from './feedback.controller.js';

@Feature({
  routes: [FeedbackController],
})
export class FeedbackModule {}
