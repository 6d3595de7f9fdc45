import { Feature } from '../../engine/feature.js';
import { SignInController } from './sign-in.controller.js';
import { SignOutController } from './sign-out.controller.js';
import { SignInsController } from './sign-ins.controller.js';
import { OidcController } from './oidc.controller.js';
import { PostgresSignIns } from './postgres-sign-ins.js';
import { SignIns } from '../../ports/index.js';
import { Database } from '../../platform/postgres/store/prisma.js';
import { CredentialCache } from '../../platform/postgres/store/credential-cache.js';

@Feature({
  routes: [SignInController, SignOutController, SignInsController, OidcController],
  ports: [
    { provide: SignIns, inject: [Database, CredentialCache], useFactory: (database: Database, cache: CredentialCache) => new PostgresSignIns(database, cache) },
  ],
})
export class SignInModule {}
