import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import { Hooks } from '../../ports/index.js';
import { Caller } from '../../http/access/caller.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { configuredHooks } from '../../http/schemas/account-schemas.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';

@ApiTags('configuration')
@Controller('v1/hooks')
export class HooksController {
  constructor(private readonly hooks: Hooks) {}

  @Get()
  @ApiRoute({
    operation: 'listHooks',
    access: 'tenant.use',
    summary: 'List the hooks of the deployment and of the tenant',
    description: 'With their events and matchers, without the values of secret headers.',
    status: 200,
    response: configuredHooks,
    problems: [],
  })
  async configured(@Caller() caller: AuthorizedCaller) {
    return { data: await this.hooks.configured(caller.tenantId) };
  }
}
