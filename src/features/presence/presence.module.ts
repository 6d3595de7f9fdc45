import { Feature } from '../../engine/feature.js';
import { PresenceController } from './presence.controller.js';

@Feature({
  routes: [PresenceController],
})
export class PresenceModule {}
