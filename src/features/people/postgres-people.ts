import type { TenantRole } from '../../../packages/protocol/access/roles.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { People, type UserInfo } from '../../ports/index.js';
import { Prisma } from '../../generated/prisma/client.js';
import { lockTokens, revokeCredentials } from '../../platform/postgres/store/account-statements.js';
import type { CredentialCache } from '../../platform/postgres/store/credential-cache.js';
import { userInfo, userOf, type UserRow } from '../../engine/store/list-statements.js';
import type { Database } from '../../platform/postgres/store/prisma.js';
import { isUuid } from '../../platform/postgres/store/row.js';

type Transaction = Pick<Prisma.TransactionClient, '$executeRaw' | '$queryRaw'>;

export class PostgresPeople extends People {
  readonly #database: Database;
  readonly #cache: CredentialCache;

  constructor(database: Database, cache: CredentialCache) {
    super();
    this.#database = database;
    this.#cache = cache;
  }

  override async user(tenantId: string, userId: string): Promise<UserInfo | null> {
    if (!isUuid(userId)) return null;
    const [row] = await this.#database.inTenant(tenantId, (client) => client.$queryRaw<readonly UserRow[]>(userOf(tenantId, userId)));
    return row ? userInfo(row) : null;
  }

  override change(tenantId: string, userId: string, { role, disabled }: { readonly role?: TenantRole; readonly disabled?: boolean }): Promise<boolean> {
    const enabled = Prisma.sql`disabled_at = NULL, deleted_at = NULL`;
    const sets = [
      ...(role === undefined ? [] : [Prisma.sql`role = ${role}, role_as_of = greatest(now(), role_as_of)`]),
      ...(disabled === undefined ? [] : [disabled ? Prisma.sql`disabled_at = least(disabled_at, now())` : enabled]),
    ];
    return this.#write(tenantId, userId, sets, (before) => (role ?? before.role) === 'admin' && !disabled, disabled === true);
  }

  override remove(tenantId: string, userId: string): Promise<boolean> {
    const sets = [
      Prisma.sql`name = '', role = 'member', role_as_of = greatest(now(), role_as_of), disabled_at = least(disabled_at, now()), deleted_at = least(deleted_at, now())`,
    ];
    return this.#write(
      tenantId,
      userId,
      sets,
      () => false,
      true,
      async (transaction) => {
        await transaction.$executeRaw`UPDATE api_token SET name = NULL WHERE tenant_id = ${tenantId}::uuid AND user_id = ${userId}::uuid`;
      },
    );
  }

  /** `staysAdmin`: whether a user who is an admin now is one afterwards. `revoking`: with every credential of the user. */
  async #write(
    tenantId: string,
    userId: string,
    sets: readonly Prisma.Sql[],
    staysAdmin: (before: { readonly role: string }) => boolean,
    revoking: boolean,
    also: (transaction: Transaction) => Promise<void> = async () => {},
  ): Promise<boolean> {
    if (!isUuid(userId)) return false;
    const user = Prisma.sql`tenant_id = ${tenantId}::uuid AND user_id = ${userId}::uuid`;
    const found = await this.#database.run((client) =>
      client.$transaction(async (transaction) => {
        await lockTokens(transaction, tenantId);
        const [before] = await transaction.$queryRaw<readonly { readonly role: string; readonly is_last_admin: boolean }[]>`
          SELECT role, role = 'admin' AND disabled_at IS NULL AND NOT EXISTS (
            SELECT FROM app_user o WHERE o.tenant_id = u.tenant_id AND o.user_id <> u.user_id AND o.role = 'admin' AND o.disabled_at IS NULL) AS is_last_admin
          FROM app_user u WHERE ${user}`;
        if (!before) return false;
        if (before.is_last_admin && !staysAdmin(before)) {
          throw new DomainError('last_admin', 'The tenant has no other admin who is not disabled; make another user an admin first.');
        }
        if (sets.length > 0) await transaction.$executeRaw`UPDATE app_user SET ${Prisma.join([...sets], ', ')} WHERE ${user}`;
        if (revoking) await revokeCredentials(transaction, tenantId, userId);
        await also(transaction);
        return true;
      }),
    );
    // Of other users too: their tokens may have been created with those of this one.
    this.#cache.forget((principal) => principal.tenantId === tenantId);
    return found;
  }
}
