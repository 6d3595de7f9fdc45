import { Feature } from '../../engine/feature.js';
import { RequestLog } from '../../engine/queries/request-log.js';
import { AnthropicErrors } from './anthropic-errors.filter.js';
import { Exchanges } from './exchanges.js';
import { FindSession } from './find-session.js';
import { Gateway } from './gateway.js';
import { GatewayController } from './gateway.controller.js';
import { Repairs } from './repairs.js';
import { SpoolRecovery } from './spool-recovery.js';
import { Upstream } from './upstream.js';

@Feature({
  routes: [GatewayController],
  routeServices: [Gateway, Upstream, Exchanges, FindSession, Repairs, RequestLog, SpoolRecovery, AnthropicErrors],
})
export class GatewayModule {}
