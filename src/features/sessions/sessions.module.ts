import { Feature } from '../../engine/feature.js';
import { SessionsController } from './sessions.controller.js';
import { CloseSessionCommand } from './close-session.js';
import { ConfigureSessionCommand } from './configure-session.js';
import { ReopenSessionCommand } from './reopen-session.js';
import { SessionTitles } from './session-titles.js';

@Feature({
  routes: [SessionsController],
  commands: [CloseSessionCommand, ConfigureSessionCommand, ReopenSessionCommand],
  background: [SessionTitles],
})
export class SessionsModule {}
