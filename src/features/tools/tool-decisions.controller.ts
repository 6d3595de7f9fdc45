import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '../../http/documents/described.js';
import type { z } from 'zod';
import type { CommandContext } from '../../engine/commands/context.js';
import { DecideToolCommand } from '../../engine/commands/decide-tool.js';
import { CommandContextOf } from '../../http/command-context.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { toolDecisionAnswer, toolDecisionBody } from '../../http/schemas/prompt-schemas.js';

@ApiTags('prompts')
@Controller('v1/sessions/:id/tool-decisions')
export class ToolDecisionsController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @HttpCode(202)
  @ApiRoute({
    operation: 'decideToolCall',
    summary: 'Decide a tool call that requires a decision',
    description:
      '`allow` runs it. `reject` with `feedback` reports the feedback to the model, which continues; without feedback the turn ends. `cancel` ends the turn.',
    status: 202,
    response: toolDecisionAnswer,
    example: { version: 12, toolUseId: 'toolu_01', decision: 'allow' },
    problems: ['tool_call_not_found', 'tool_call_not_waiting'],
    body: true,
    command: DecideToolCommand,
  })
  decide(@PathId('id') _: string, @CommandContextOf() context: CommandContext, @Body({ schema: toolDecisionBody }) body: z.input<typeof toolDecisionBody>) {
    const { toolUseId, decision, feedback = null, updatedInput = null } = body;
    return this.commands.execute(new DecideToolCommand(context, { decision: { toolUseId, decision, feedback: feedback?.trim() ?? null, updatedInput } }));
  }
}
