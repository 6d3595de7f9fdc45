import { Feature } from '../../engine/feature.js';
import { UsersController } from './users.controller.js';
import { PeopleController } from './people.controller.js';
import { GrantsController } from './grants.controller.js';
import { BreakGlassController } from './break-glass.controller.js';
import { AccessesController } from './accesses.controller.js';
import { MeController } from './me.controller.js';
import { TokensController } from './tokens.controller.js';
import { PostgresAccounts } from './postgres-accounts.js';
import { Accounts, Credentials, People } from '../../ports/index.js';
import { Database } from '../../platform/postgres/store/prisma.js';
import { CredentialCache } from '../../platform/postgres/store/credential-cache.js';
import { PostgresPeople } from './postgres-people.js';
import { PostgresCredentials } from './postgres-credentials.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';

@Feature({
  routes: [UsersController, PeopleController, GrantsController, BreakGlassController, AccessesController, MeController, TokensController],
  ports: [
    {
      provide: Accounts,
      inject: [Database, CredentialCache],
      useFactory: (database: Database, cache: CredentialCache) => new PostgresAccounts(database, cache),
    },
    { provide: People, inject: [Database, CredentialCache], useFactory: (database: Database, cache: CredentialCache) => new PostgresPeople(database, cache) },
    {
      provide: Credentials,
      inject: [Database, SETTINGS],
      useFactory: (database: Database, settings: Pick<Settings, 'SIGN_IN_IDLE_HOURS'>) =>
        new PostgresCredentials(database, settings.SIGN_IN_IDLE_HOURS * 3_600_000),
    },
  ],
})
export class PeopleModule {}
