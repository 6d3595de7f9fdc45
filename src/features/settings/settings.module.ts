import { Feature } from '../../engine/feature.js';
import { Database } from '../../platform/postgres/store/prisma.js';
import { SettingsHistory } from '../../ports/index.js';
import { PostgresSettingsHistory } from './postgres-tenant-configuration.js';
import { SettingsController } from './settings.controller.js';

@Feature({
  routes: [SettingsController],
  ports: [{ provide: SettingsHistory, inject: [Database], useFactory: (database: Database) => new PostgresSettingsHistory(database) }],
})
export class SettingsModule {}
