import { Feature } from '../../engine/feature.js';
import { ToolsController } from './tools.controller.js';

@Feature({
  routes: [ToolsController],
})
export class ToolsModule {}
