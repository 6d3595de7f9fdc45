import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import { SlashCommands } from '../../engine/slash/slash-commands.js';
import { Caller } from '../../http/access/caller.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { commands } from '../../http/schemas/command-schemas.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';

@ApiTags('configuration')
@Controller('v1/commands')
export class CommandsController {
  constructor(private readonly slashCommands: SlashCommands) {}

  @Get()
  @ApiRoute({
    operation: 'listCommands',
    access: 'tenant.use',
    summary: 'List the slash commands',
    description: 'Built-in ones, those of skills and those of plugins, with their arguments.',
    status: 200,
    response: commands,
    problems: [],
  })
  async commands(@Caller() caller: AuthorizedCaller) {
    return { data: await this.slashCommands.list(caller.tenantId) };
  }
}
