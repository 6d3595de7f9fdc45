import { Feature } from '../../engine/feature.js';
import { TurnsController } from './turns.controller.js';
import { InterruptController } from './interrupt.controller.js';

@Feature({
  routes: [TurnsController, InterruptController],
})
export class TurnsModule {}
