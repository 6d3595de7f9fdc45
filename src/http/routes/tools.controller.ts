import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Tools } from '../../core/ports.js';
import { Caller } from '../access/caller.js';
import { ApiRoute } from '../documents/api-route.js';
import { configuredTools } from '../schemas/tool-schemas.js';
import type { Principal } from '../../core/session/principal.js';

@ApiTags('configuration')
@Controller('v1')
export class ToolsController {
  constructor(private readonly tools: Tools) {}

  @Get('tools')
  @ApiRoute({
    summary: "Tools that this server runs for the caller's tenant, and what keeps others from being offered",
    description: 'Asks every MCP server whose tools are not known or no longer good; one that cannot be reached is among the problems.',
    status: 200,
    answer: configuredTools,
    refuses: [],
  })
  async list(@Caller() { tenantId }: Principal) {
    const data = await this.tools.offered(tenantId);
    return { data, problems: await this.tools.problems(tenantId) };
  }
}
