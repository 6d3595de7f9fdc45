import { Feature } from '../../engine/feature.js';
import { HealthController } from './health.controller.js';

@Feature({
  probes: [HealthController],
})
export class HealthModule {}
