import { Feature } from '../../engine/feature.js';
import { LogController } from './events.controller.js';
import { StreamTicketsController } from './stream-tickets.controller.js';

@Feature({
  routes: [LogController, StreamTicketsController],
})
export class EventsModule {}
