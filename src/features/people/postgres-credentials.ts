import type { Principal } from '../../../packages/protocol/access/principal.js';
import { Credentials } from '../../ports/index.js';
import { endedOf } from '../../platform/postgres/store/ended-credentials.js';
import type { Database } from '../../platform/postgres/store/prisma.js';

export class PostgresCredentials extends Credentials {
  readonly #database: Database;
  readonly #idleMs: number;

  /** `idleMs`: a sign-in ends when it was not used for so long. */
  constructor(database: Database, idleMs: number) {
    super();
    this.#database = database;
    this.#idleMs = idleMs;
  }

  override ended<Caller extends Principal>(tenantId: string, callers: readonly Caller[]): Promise<ReadonlySet<Caller>> {
    return this.#database.inTenant(tenantId, (client) => endedOf(client, tenantId, callers, this.#idleMs));
  }
}
