import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import type { z } from 'zod';
import { Skills } from '../../ports/index.js';
import { Caller } from '../../http/access/caller.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { skills, skillsQuery } from '../../http/schemas/command-schemas.js';
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
    problems: ['invalid_input'],
  })
  async skills(@Caller() { tenantId }: AuthorizedCaller, @Query({ schema: skillsQuery }) { disabled }: z.output<typeof skillsQuery>) {
    const listed = disabled === true ? this.installed.installed(tenantId) : this.installed.list(tenantId);
    const [data, problems] = await Promise.all([listed, this.installed.problems()]);
    return { data, problems };
  }
}
