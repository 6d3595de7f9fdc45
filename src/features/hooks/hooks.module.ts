import { Feature } from '../../engine/feature.js';
import { HooksController } from './hooks.controller.js';
import { RunHookHandler } from './run-hook.js';

@Feature({
  routes: [HooksController],
  commands: [RunHookHandler],
})
export class HooksModule {}
