import { Feature } from '../../engine/feature.js';
import { RunHookHandler } from './run-hook.js';
import { HooksController } from './hooks.controller.js';
import { HookRunsController } from './hook-runs.controller.js';

@Feature({
  routes: [HooksController, HookRunsController],
  handlers: [RunHookHandler],
})
export class HooksModule {}
