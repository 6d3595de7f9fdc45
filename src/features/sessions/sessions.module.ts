import { Feature } from '../../engine/feature.js';
import { SessionsController } from './sessions.controller.js';
import { SessionTitles } from './session-titles.js';

@Feature({
  routes: [SessionsController],
  background: [SessionTitles],
})
export class SessionsModule {}
