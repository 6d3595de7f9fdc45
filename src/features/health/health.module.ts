import { Feature } from '../../engine/feature.js';
import { HealthController } from './health.controller.js';
import { MetricsController } from './metrics.controller.js';

@Feature({
  probes: [HealthController, MetricsController],
})
export class HealthModule {}
