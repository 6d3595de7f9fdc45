import { Feature } from '../../engine/feature.js';
import { UsageController } from './usage.controller.js';
import { QuotasController } from './quotas.controller.js';
import { PostgresUsage } from './postgres-usage.js';
import { UsageStore } from '../../ports/index.js';
import { Database } from '../../platform/postgres/store/prisma.js';

@Feature({
  routes: [UsageController, QuotasController],
  ports: [{ provide: UsageStore, inject: [Database], useFactory: (database: Database) => new PostgresUsage(database) }],
})
export class UsageModule {}
