import { Body, Controller, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '../../http/documents/described.js';
import type { Response } from 'express';
import type { z } from 'zod';
import type { CommandContext } from '../../engine/commands/context.js';
import { RunHookCommand } from './run-hook.js';
import { CommandContextOf } from '../../http/command-context.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { hookOutcomes, hookRunBody } from '../../http/schemas/history-schemas.js';

@ApiTags('configuration')
@Controller('v1/sessions/:id/hook-runs')
export class HookRunsController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @ApiRoute({
    operation: 'runHooks',
    summary: 'Run the matching hooks now',
    description:
      "For events of the client's own, such as the end of an edit: the hooks of that event run as they would in a turn, and their results are answered.",
    status: 201,
    response: hookOutcomes,
    problems: [],
    body: true,
    command: RunHookCommand,
  })
  async run(
    @PathId('id') id: string,
    @CommandContextOf() context: CommandContext,
    @Body({ schema: hookRunBody }) body: z.input<typeof hookRunBody>,
    @Res({ passthrough: true }) response: Response,
  ) {
    const answer = await this.commands.execute(new RunHookCommand(context, { request: body }));
    response.location(`/v1/sessions/${id}/events?after=${Math.max(0, answer.version - answer.outcomes.length)}`);
    return answer;
  }
}
