import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import { Plugins } from '../../ports/index.js';
import { Caller } from '../../http/access/caller.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { plugins } from '../../http/schemas/command-schemas.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';

@ApiTags('configuration')
@Controller('v1/plugins')
export class PluginsController {
  constructor(private readonly installed: Plugins) {}

  @Get()
  @ApiRoute({
    operation: 'listPlugins',
    access: 'tenant.use',
    summary: 'List the installed plugins, and whether the tenant has enabled each',
    description: 'As they were read at the start of the server.',
    status: 200,
    response: plugins,
    problems: [],
  })
  async list(@Caller() { tenantId }: AuthorizedCaller) {
    return { data: await this.installed.list(tenantId) };
  }
}
