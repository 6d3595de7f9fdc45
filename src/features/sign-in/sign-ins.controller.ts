import { Controller, Delete, Get, HttpCode, Query } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import type { z } from 'zod';
import { DomainError } from '../../../packages/protocol/errors.js';
import { LiveBus, SignIns } from '../../ports/index.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import { Caller } from '../../http/access/caller.js';
import { announceRevocation } from '../../http/access/revocations.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { signIns, signInsQuery } from './sign-in-schemas.js';

@ApiTags('sign-in')
@Controller('v1/sign-ins')
export class SignInsController {
  constructor(
    private readonly signIns: SignIns,
    private readonly live: LiveBus,
  ) {}

  @Get()
  @ApiRoute({
    operation: 'listSignIns',
    access: 'tenant.tokens',
    summary: 'List the browsers that are signed in: those of the tenant for an admin, your own for a member',
    description: 'With browser, time and last use.',
    status: 200,
    response: signIns,
    problems: ['invalid_input'],
  })
  async list(@Caller() caller: AuthorizedCaller, @Query({ schema: signInsQuery }) { userId, limit = 50, cursor }: z.output<typeof signInsQuery>) {
    const ofUser = caller.role === 'admin' ? (userId?.toLowerCase() ?? null) : caller.userId;
    const found = await this.signIns.list(caller.tenantId, ofUser, limit + 1, cursor?.toLowerCase() ?? null);
    const data = found.slice(0, limit).map((signIn) => ({ ...signIn, current: signIn.id === caller.signInId }));
    return { data, nextCursor: found.length > limit ? (data.at(-1)?.id ?? null) : null };
  }

  @Delete(':signInId')
  @HttpCode(204)
  @ApiRoute({
    operation: 'revokeSignIn',
    access: 'tenant.tokens',
    summary: 'Sign a browser out',
    description: 'Its streams end within a second.',
    status: 204,
    response: null,
    problems: ['not_found'],
  })
  async revoke(@Caller() caller: AuthorizedCaller, @PathId('signInId') signInId: string): Promise<void> {
    const ended = await this.signIns.end(caller.tenantId, caller.role === 'admin' ? null : caller.userId, signInId);
    if (!ended) throw new DomainError('not_found', 'No sign-in with this id exists, or it belongs to another user.');
    announceRevocation(this.live, caller.tenantId);
  }
}
