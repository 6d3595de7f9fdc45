import { Feature } from '../../engine/feature.js';
import { LinksController } from './links.controller.js';
import { SharedController } from './shared.controller.js';
import { PostgresLinks } from './postgres-links.js';
import { Links } from '../../ports/index.js';
import { Database } from '../../platform/postgres/store/prisma.js';

@Feature({
  routes: [LinksController, SharedController],
  ports: [{ provide: Links, inject: [Database], useFactory: (database: Database) => new PostgresLinks(database) }],
})
export class LinksModule {}
