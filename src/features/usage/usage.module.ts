import { Feature } from '../../engine/feature.js';
import { UsageController } from './usage.controller.js';
import { QuotasController } from './quotas.controller.js';
import { PostgresUsage } from './postgres-usage.js';
import { UsageStore } from '../../ports/index.js';
import { Database } from '../../platform/postgres/store/prisma.js';
import { TenantReads } from '../../platform/postgres/store/tenant-connections.js';

@Feature({
  routes: [UsageController, QuotasController],
  ports: [{ provide: UsageStore, inject: [Database, TenantReads], useFactory: (database: Database, reads: TenantReads) => new PostgresUsage(database, reads) }],
})
export class UsageModule {}
