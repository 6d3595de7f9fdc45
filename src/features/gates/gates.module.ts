import { Feature } from '../../engine/feature.js';
import { GatesController } from './gates.controller.js';

@Feature({
  routes: [GatesController],
})
export class GatesModule {}
