import { Body, Controller, Delete, Get, HttpCode, Post, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { z } from 'zod';
import { DomainError } from '../../core/errors.js';
import { Accounts, Clock } from '../../core/ports.js';
import { Caller } from '../access/caller.js';
import { ApiRoute } from '../documents/api-route.js';
import { PathId } from '../path-id.js';
import { me, token, tokenBody } from '../schemas/account-schemas.js';
import type { Principal } from '../../core/session/principal.js';

@ApiTags('accounts')
@Controller('v1')
export class AccountsController {
  constructor(
    private readonly accounts: Accounts,
    private readonly clock: Clock,
  ) {}

  @Get('me')
  @ApiRoute({ summary: 'Who am I', status: 200, answer: me, refuses: [] })
  async me(@Caller() caller: Principal) {
    return { ...caller, ...(await this.accounts.describe(caller)) };
  }

  @Post('tokens')
  @ApiRoute({ summary: 'Make a token; it is shown this once', status: 201, answer: token, refuses: ['forbidden'], body: true })
  async create(@Caller() caller: Principal, @Body({ schema: tokenBody }) body: z.input<typeof tokenBody>, @Res({ passthrough: true }) response: Response) {
    const { name = null, userName, role = 'member', expiresAt = null } = body;
    if (caller.role !== 'admin' && (role === 'admin' || userName !== undefined)) {
      throw new DomainError('forbidden', 'Only an admin makes tokens for others, or for admins.');
    }
    if (expiresAt !== null && Date.parse(expiresAt) <= this.clock.now()) {
      throw new DomainError('invalid_input', 'The token would never be valid.', [{ pointer: '/expiresAt', text: 'must be in the future' }]);
    }
    const made = await this.accounts.createToken(caller, { name, ...(userName === undefined ? {} : { userName }), role, expiresAt });
    response.location(`/v1/tokens/${made.id}`).setHeader('cache-control', 'no-store');
    return made;
  }

  @Delete('tokens/:tokenId')
  @HttpCode(204)
  @ApiRoute({ summary: 'Revoke a token', status: 204, answer: null, refuses: ['not_found'] })
  async revoke(@Caller() caller: Principal, @PathId('tokenId') tokenId: string): Promise<void> {
    if (!(await this.accounts.revokeToken(caller, tokenId))) throw new DomainError('not_found', 'There is no such token.');
  }
}
