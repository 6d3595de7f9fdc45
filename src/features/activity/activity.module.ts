import { Feature } from '../../engine/feature.js';
import { Database } from '../../platform/postgres/store/prisma.js';
import { Activity, Encryption } from '../../ports/index.js';
import { ActivityController } from './activity.controller.js';
import { PostgresActivity } from './postgres-activity.js';

@Feature({
  routes: [ActivityController],
  ports: [
    {
      provide: Activity,
      inject: [Database, Encryption],
      useFactory: (database: Database, encryption: Encryption) => new PostgresActivity(database, encryption),
    },
  ],
})
export class ActivityModule {}
