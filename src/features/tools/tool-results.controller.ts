import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '../../http/documents/described.js';
import type { z } from 'zod';
import type { CommandContext } from '../../engine/commands/context.js';
import { PostToolResultsCommand } from '../../engine/commands/post-tool-results.js';
import { CommandContextOf } from '../../http/command-context.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { toolResultsAnswer, toolResultsBody } from '../../http/schemas/prompt-schemas.js';

@ApiTags('prompts')
@Controller('v1/sessions/:id/tool-results')
export class ToolResultsController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @HttpCode(202)
  @ApiRoute({
    operation: 'submitToolResults',
    summary: 'Submit the results of tool calls that the client runs',
    description: 'When the last result of the turn is there, the turn continues. A result may be sent once; a repeat with the same key gets the first answer.',
    status: 202,
    response: toolResultsAnswer,
    problems: ['tool_call_not_waiting', 'session_closed', 'image_rejected', 'document_rejected'],
    body: true,
    command: PostToolResultsCommand,
  })
  toolResults(@PathId('id') _: string, @CommandContextOf() context: CommandContext, @Body({ schema: toolResultsBody }) body: z.input<typeof toolResultsBody>) {
    const results = body.results.map(({ isError = false, ...result }) => ({ ...result, isError }));
    return this.commands.execute(new PostToolResultsCommand(context, { results }));
  }
}
