import { Feature } from '../../engine/feature.js';
import { CommandsController } from './commands.controller.js';

@Feature({
  routes: [CommandsController],
})
export class CommandsModule {}
