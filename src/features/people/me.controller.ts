import { Controller, Get, Inject } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { Accounts } from '../../ports/index.js';
import { Caller } from '../../http/access/caller.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { me, meOf } from '../../http/schemas/account-schemas.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';

@ApiTags('accounts')
@Controller('v1/me')
export class MeController {
  constructor(
    private readonly accounts: Accounts,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Get()
  @ApiRoute({
    operation: 'getMe',
    access: 'tenant.use',
    summary: 'Get the authenticated user',
    description: 'User, tenant, role and scopes of the credentials that the request was made with.',
    status: 200,
    response: me,
    problems: [],
  })
  async me(@Caller() caller: AuthorizedCaller) {
    return meOf(caller, await this.accounts.describe(caller), this.settings);
  }
}
