import { Feature } from '../../engine/feature.js';
import { HooksController } from './hooks.controller.js';
import { RunHookHandler } from './run-hook.js';

@Feature({
  routes: [HooksController],
  handlers: [RunHookHandler],
})
export class HooksModule {}
