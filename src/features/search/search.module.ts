import { Feature } from '../../engine/feature.js';
import { SearchController } from './search.controller.js';
import { PostgresSearch } from './postgres-search.js';
import { Encryption, Search } from '../../ports/index.js';
import { Database } from '../../platform/postgres/store/prisma.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';

@Feature({
  routes: [SearchController],
  ports: [
    {
      provide: Search,
      inject: [Database, Encryption, SETTINGS],
      useFactory: (database: Database, encryption: Encryption, settings: Pick<Settings, 'SEARCH_LANGUAGE'>) =>
        new PostgresSearch(database, encryption, settings.SEARCH_LANGUAGE),
    },
  ],
})
export class SearchModule {}
