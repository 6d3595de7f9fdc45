import { Feature } from '../../engine/feature.js';
import { PromptsController } from './prompts.controller.js';
import { RegenerateController } from './regenerate.controller.js';
import { QueueController } from './queue.controller.js';

@Feature({
  routes: [PromptsController, RegenerateController, QueueController],
})
export class PromptsModule {}
