import { Feature } from '../../engine/feature.js';
import { SearchController } from './search.controller.js';
import { PostgresSearch } from './postgres-search.js';
import { Encryption, Search } from '../../ports/index.js';
import { TenantReads } from '../../platform/postgres/store/tenant-connections.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';

@Feature({
  routes: [SearchController],
  ports: [
    {
      provide: Search,
      inject: [TenantReads, Encryption, SETTINGS],
      useFactory: (reads: TenantReads, encryption: Encryption, settings: Pick<Settings, 'SEARCH_LANGUAGE'>) =>
        new PostgresSearch(reads, encryption, settings.SEARCH_LANGUAGE),
    },
  ],
})
export class SearchModule {}
