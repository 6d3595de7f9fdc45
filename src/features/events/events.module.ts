import { Feature } from '../../engine/feature.js';
import { EventsController } from './events.controller.js';
import { StreamTicketsController } from './stream-tickets.controller.js';

@Feature({
  routes: [EventsController, StreamTicketsController],
})
export class EventsModule {}
