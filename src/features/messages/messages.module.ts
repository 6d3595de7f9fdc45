import { Feature } from '../../engine/feature.js';
import { MessagesController } from './messages.controller.js';

@Feature({
  routes: [MessagesController],
})
export class MessagesModule {}
