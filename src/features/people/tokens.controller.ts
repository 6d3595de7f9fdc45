import { Body, Controller, Delete, Get, HttpCode, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import type { Response } from 'express';
import type { z } from 'zod';
import { DomainError } from '../../../packages/protocol/errors.js';
import { Admission } from '../../engine/commands/admission.js';
import { Accounts, Clock, LiveBus } from '../../ports/index.js';
import { Caller } from '../../http/access/caller.js';
import { announceRevocation } from '../../http/access/revocations.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { token, tokenBody, tokens, tokensQuery } from '../../http/schemas/account-schemas.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';

@ApiTags('accounts')
@Controller('v1/tokens')
export class TokensController {
  constructor(
    private readonly accounts: Accounts,
    private readonly clock: Clock,
    private readonly live: LiveBus,
    private readonly admission: Admission,
  ) {}

  @Post()
  @ApiRoute({
    operation: 'createToken',
    access: 'tenant.tokens',
    summary: 'Create a token; the response is the only place where it is shown',
    description:
      'Its rights are at most those of the credentials that create it, and it ends with them. An admin may create one for another user of the tenant.',
    status: 201,
    response: token,
    problems: ['forbidden'],
    body: true,
  })
  async create(
    @Caller() caller: AuthorizedCaller,
    @Body({ schema: tokenBody }) body: z.input<typeof tokenBody>,
    @Res({ passthrough: true }) response: Response,
  ) {
    const { name = null, userName, role = 'member', scopes = null, expiresAt = null } = body;
    if (caller.role !== 'admin' && (userName !== undefined || (role !== 'member' && role !== caller.role))) {
      throw new DomainError('forbidden', 'Creating a token for another user, or with a role that is not your own, requires the role admin.');
    }
    // Another token would not be bound by them.
    if ((await this.admission.limitedToken(caller)) !== null) {
      throw new DomainError('forbidden', 'This token has limits of its own, so it cannot create others. Use a token without limits, or sign in.');
    }
    if (expiresAt !== null && Date.parse(expiresAt) <= this.clock.now()) {
      throw new DomainError('invalid_input', 'The token would never be valid: expiresAt must be in the future.', [
        { pointer: '/expiresAt', text: 'must be in the future' },
      ]);
    }
    const made = await this.accounts.createToken(caller, { name, ...(userName === undefined ? {} : { userName }), role, scopes, expiresAt });
    response.location(`/v1/tokens/${made.id}`).setHeader('cache-control', 'no-store');
    return made;
  }

  @Get()
  @ApiRoute({
    operation: 'listTokens',
    access: 'tenant.tokens',
    summary: 'List the valid tokens: those of the tenant for an admin, your own for a member',
    description: 'With name, scopes, end and last use; never the secret.',
    status: 200,
    response: tokens,
    problems: ['invalid_input'],
  })
  async list(@Caller() caller: AuthorizedCaller, @Query({ schema: tokensQuery }) { limit = 50, cursor }: z.output<typeof tokensQuery>) {
    const data = await this.accounts.tokens(caller, limit, cursor ?? null);
    return { data, nextCursor: data.length === limit ? (data.at(-1)?.id ?? null) : null };
  }

  @Delete(':tokenId')
  @HttpCode(204)
  @ApiRoute({
    operation: 'revokeToken',
    access: 'tenant.tokens',
    summary: 'Revoke a token and every token created with it',
    description: 'Streams that were opened with it end within a second.',
    status: 204,
    response: null,
    problems: ['not_found'],
  })
  async revoke(@Caller() caller: AuthorizedCaller, @PathId('tokenId') tokenId: string): Promise<void> {
    if (!(await this.accounts.revokeToken(caller, tokenId))) throw new DomainError('not_found', 'No token with this id exists, or it belongs to another user.');
    announceRevocation(this.live, caller.tenantId);
  }
}
