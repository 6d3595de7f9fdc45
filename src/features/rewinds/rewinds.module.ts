import { Feature } from '../../engine/feature.js';
import { RewindsController } from './rewinds.controller.js';

@Feature({
  routes: [RewindsController],
})
export class RewindsModule {}
