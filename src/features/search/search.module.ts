import { Feature } from '../../engine/feature.js';
import { FindingController } from './search.controller.js';
import { PostgresSearch } from './postgres-search.js';
import { Sealing, Search } from '../../ports/index.js';
import { Database } from '../../platform/postgres/store/prisma.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';

@Feature({
  routes: [FindingController],
  ports: [
    {
      provide: Search,
      inject: [Database, Sealing, SETTINGS],
      useFactory: (database: Database, sealing: Sealing, settings: Pick<Settings, 'SEARCH_LANGUAGE'>) =>
        new PostgresSearch(database, sealing, settings.SEARCH_LANGUAGE),
    },
  ],
})
export class SearchModule {}
