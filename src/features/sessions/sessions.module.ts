import { Feature } from '../../engine/feature.js';
import { SessionsController } from './sessions.controller.js';
import { CloseSessionHandler } from './close-session.js';
import { ConfigureSessionHandler } from './configure-session.js';
import { ReopenSessionHandler } from './reopen-session.js';
import { SessionTitles } from './session-titles.js';

@Feature({
  routes: [SessionsController],
  commands: [CloseSessionHandler, ConfigureSessionHandler, ReopenSessionHandler],
  background: [SessionTitles],
})
export class SessionsModule {}
