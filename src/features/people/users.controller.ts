import { Body, Controller, Delete, Get, HttpCode, Logger, Patch, Query } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import type { z } from 'zod';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { Accounts, Clock, DueErasures, LiveBus, People, type UserInfo } from '../../ports/index.js';
import { Caller } from '../../http/access/caller.js';
import { announceRevocation } from '../../http/access/revocations.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { user, userChangeBody, users, usersQuery } from '../../http/schemas/account-schemas.js';
import { erasureView, userErasure, userEraseQuery } from '../../http/schemas/erasure-schemas.js';

/** Users of the tenant. They come into being with their first token or sign-in. */
@ApiTags('accounts')
@Controller('v1/users')
export class UsersController {
  readonly #log = new Logger('Access');

  constructor(
    private readonly accounts: Accounts,
    private readonly people: People,
    private readonly due: DueErasures,
    private readonly live: LiveBus,
    private readonly clock: Clock,
  ) {}

  @Get()
  @ApiRoute({
    operation: 'listUsers',
    access: 'tenant.people',
    summary: 'List the users of the tenant',
    description: 'By name, by pages, disabled ones included.',
    status: 200,
    response: users,
    problems: ['invalid_input'],
  })
  async users(@Caller() { tenantId }: AuthorizedCaller, @Query({ schema: usersQuery }) { limit = 50, cursor }: z.output<typeof usersQuery>) {
    const data = await this.accounts.users(tenantId, limit + 1, cursor?.toLowerCase() ?? null);
    return { data: data.slice(0, limit), nextCursor: data.length > limit ? (data[limit - 1]?.id ?? null) : null };
  }

  @Get(':userId')
  @ApiRoute({
    operation: 'getUser',
    access: 'tenant.people',
    summary: 'Get a user of the tenant',
    description: 'Name, role, and whether the user is disabled or deleted.',
    status: 200,
    response: user,
    problems: ['not_found'],
  })
  async get(@Caller() { tenantId }: AuthorizedCaller, @PathId('userId') userId: string): Promise<UserInfo> {
    return found(await this.people.user(tenantId, userId));
  }

  @Patch(':userId')
  @ApiRoute({
    operation: 'changeUser',
    access: 'tenant.people',
    summary: 'Change the role of a user, disable or enable a user',
    description:
      'Disabling revokes every token of the user, with those that were created with them, signs every browser of the user out, and ends their streams within a second. A user who is enabled again needs new credentials; a signed token of a trusted issuer is accepted again. Where the issuer names roles, its next token or sign-in sets the role.',
    status: 200,
    response: user,
    problems: ['not_found', 'last_admin', 'own_user'],
    body: true,
  })
  async change(
    @Caller() caller: AuthorizedCaller,
    @PathId('userId') userId: string,
    @Body({ schema: userChangeBody }) change: z.output<typeof userChangeBody>,
  ): Promise<UserInfo> {
    const { tenantId, userId: by } = caller;
    const { role, disabled } = change;
    if (disabled === true || (role !== undefined && role !== 'admin')) requireOther(caller, userId);
    const changes = { ...(role === undefined ? {} : { role }), ...(disabled === undefined ? {} : { disabled }) };
    const changed = await this.people.change(tenantId, userId, changes);
    if (changed) this.#revoked(tenantId, { msg: 'user changed', userId, by, ...changes });
    return found(changed ? await this.people.user(tenantId, userId) : null);
  }

  @Delete(':userId')
  @HttpCode(202)
  @ApiRoute({
    operation: 'deleteUser',
    access: 'tenant.people',
    summary: 'Delete a user: disable, remove the name, and erase the content',
    description:
      'The id stays, so that the log keeps saying that one person did all of it. Workers erase the sessions, as for `DELETE /v1/users/{userId}/content`, which is what the response is of.',
    status: 202,
    response: userErasure,
    problems: ['invalid_input', 'not_found', 'last_admin', 'own_user'],
  })
  async delete(
    @Caller() caller: AuthorizedCaller,
    @PathId('userId') userId: string,
    @Query({ schema: userEraseQuery }) query: z.output<typeof userEraseQuery>,
  ) {
    const { tenantId, userId: requestedBy } = caller;
    requireOther(caller, userId);
    // In this order: nothing is written by the user after the erasure was requested. Repeating the request completes one that was cut short.
    if (!(await this.people.remove(tenantId, userId))) found(null);
    this.#revoked(tenantId, { msg: 'user deleted', userId, by: requestedBy });
    return erasureView(found(await this.due.request({ id: this.clock.uuid(), tenantId, userId, requestedBy, reason: query.reason ?? null })));
  }

  #revoked(tenantId: string, line: object): void {
    announceRevocation(this.live, tenantId);
    this.#log.log(line);
  }
}

/** Whoever disables, deletes or demotes themselves by mistake could not take it back. */
function requireOther(caller: AuthorizedCaller, userId: string): void {
  if (caller.userId === userId) throw new DomainError('own_user', 'You cannot disable, delete or demote yourself; ask another admin of the tenant.');
}

function found<T>(value: T | null): T {
  if (value === null) throw new DomainError('not_found', 'The tenant has no user with this id.');
  return value;
}
