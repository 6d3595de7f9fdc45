import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Skills } from '../../ports/index.js';
import { Caller } from '../../http/access/caller.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { skills } from '../../http/schemas/command-schemas.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';

@ApiTags('configuration')
@Controller('v1/skills')
export class SkillsController {
  constructor(private readonly installed: Skills) {}

  @Get()
  @ApiRoute({
    operation: 'listSkills',
    access: 'tenant.use',
    summary: 'List the enabled skills, and the problems of those that cannot be used',
    description: 'With name, description and source, as the model is told.',
    status: 200,
    response: skills,
    problems: [],
  })
  async skills(@Caller() caller: AuthorizedCaller) {
    const [data, problems] = await Promise.all([this.installed.list(caller.tenantId), this.installed.problems()]);
    return { data, problems };
  }
}
