import { Feature } from '../../engine/feature.js';
import { ToolsController } from './tools.controller.js';
import { ToolResultsController } from './tool-results.controller.js';
import { ToolDecisionsController } from './tool-decisions.controller.js';

@Feature({
  routes: [ToolsController, ToolResultsController, ToolDecisionsController],
})
export class ToolsModule {}
