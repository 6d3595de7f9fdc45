import { Body, Controller, Get, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { z } from 'zod';
import type { CommandContext } from '../../engine/commands/context.js';
import { RunHookCommand } from './run-hook.js';
import { GATE_DESCRIPTIONS } from '../../../packages/protocol/gates.js';
import { GateSource, Hooks } from '../../ports/index.js';
import { Caller } from '../../http/access/caller.js';
import { CommandContextOf } from '../../http/command-context.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { configuredGates, configuredHooks } from '../../http/schemas/account-schemas.js';
import { hookOutcomes, hookRunBody } from '../../http/schemas/history-schemas.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';

@ApiTags('configuration')
@Controller('v1')
export class HooksController {
  constructor(
    private readonly commands: CommandBus,
    private readonly hooks: Hooks,
    private readonly gateSource: GateSource,
  ) {}

  @Post('sessions/:id/hook-runs')
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

  @Get('hooks')
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

  @Get('gates')
  @ApiRoute({
    operation: 'listGates',
    access: 'tenant.use',
    summary: 'List the feature gates, their state and its source',
    description: 'A gate switches a part of normalization or of prompts on; the source says whether the deployment or the default decided.',
    status: 200,
    response: configuredGates,
    problems: [],
  })
  async gates(@Caller() caller: AuthorizedCaller) {
    const gates = await this.gateSource.list(caller.tenantId);
    return { data: gates.map((gate) => ({ ...gate, description: GATE_DESCRIPTIONS[gate.name] })) };
  }
}
