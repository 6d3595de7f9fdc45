import { Feature } from '../../engine/feature.js';
import { PromptsController } from './prompts.controller.js';

@Feature({
  routes: [PromptsController],
})
export class PromptsModule {}
