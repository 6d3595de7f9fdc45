import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import { TenantConfiguration, Tools } from '../../ports/index.js';
import { agentProblems } from '../../session/tenants/agent-tools.js';
import { Caller } from '../../http/access/caller.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { configuredTools } from './tool-schemas.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';

@ApiTags('configuration')
@Controller('v1')
export class ToolsController {
  constructor(
    private readonly tools: Tools,
    private readonly tenants: TenantConfiguration,
  ) {}

  @Get('tools')
  @ApiRoute({
    operation: 'listTools',
    access: 'tenant.use',
    summary: "List the server's tools for the tenant, and the problems of those that cannot be offered",
    description:
      'Connects to every MCP server whose list of tools is missing or expired; an unreachable server is listed under `problems`, as is an agent of the tenant that names tools which helpers are not offered.',
    status: 200,
    response: configuredTools,
    problems: [],
  })
  async list(@Caller() { tenantId }: AuthorizedCaller) {
    const data = await this.tools.offered(tenantId);
    const problems = await this.tools.problems(tenantId);
    const { agents } = await this.tenants.read(tenantId);
    return { data, problems: [...problems, ...agentProblems(agents, data, problems)] };
  }
}
