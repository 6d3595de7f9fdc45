import { Feature } from '../../engine/feature.js';
import { RequestLog } from '../../engine/queries/request-log.js';
import { Database } from '../../platform/postgres/store/prisma.js';
import { ThreadAnswers } from '../../ports/index.js';
import { AnthropicErrors } from './anthropic-errors.filter.js';
import { Exchanges } from './exchanges.js';
import { FindSession } from './find-session.js';
import { Gateway } from './gateway.js';
import { GatewayController } from './gateway.controller.js';
import { PostgresThreadAnswers } from './postgres-thread-answers.js';
import { Repairs } from './repairs.js';
import { SpoolRecovery } from './spool-recovery.js';
import { Threads } from './threads.js';
import { Upstream } from './upstream.js';

@Feature({
  routes: [GatewayController],
  ports: [{ provide: ThreadAnswers, inject: [Database], useFactory: (database: Database) => new PostgresThreadAnswers(database) }],
  routeServices: [Gateway, Upstream, Exchanges, FindSession, Threads, Repairs, RequestLog, SpoolRecovery, AnthropicErrors],
})
export class GatewayModule {}
