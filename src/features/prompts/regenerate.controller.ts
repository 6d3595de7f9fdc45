import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '../../http/documents/described.js';
import type { Response } from 'express';
import type { z } from 'zod';
import type { CommandContext } from '../../engine/commands/context.js';
import { RegenerateCommand } from '../../engine/commands/regenerate.js';
import { CommandContextOf } from '../../http/command-context.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { promptAnswer, regenerateBody } from '../../http/schemas/prompt-schemas.js';

@ApiTags('prompts')
@Controller('v1/sessions/:id/regenerate')
export class RegenerateController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @HttpCode(202)
  @ApiRoute({
    operation: 'regenerateAnswer',
    summary: 'Regenerate the answer to a prompt',
    description:
      'Rewinds to before the prompt, by default the newest one, and resubmits it unchanged, in one append. The earlier answer stays a branch of the session.',
    status: 202,
    response: promptAnswer,
    problems: [
      'quota_exceeded',
      'session_busy',
      'session_closed',
      'prompt_not_found',
      'message_not_on_path',
      'unsupported_input',
      'tool_unavailable',
      'image_rejected',
      'document_rejected',
    ],
    body: true,
    command: RegenerateCommand,
  })
  async regenerate(
    @PathId('id') id: string,
    @CommandContextOf() context: CommandContext,
    @Body({ schema: regenerateBody }) { prompt, whenBusy = 'reject' }: z.input<typeof regenerateBody>,
    @Res({ passthrough: true }) response: Response,
  ) {
    const answer = await this.commands.execute(new RegenerateCommand(context, { prompt: prompt?.toLowerCase() ?? null, whenBusy }));
    if (answer.turnId !== undefined) response.location(`/v1/sessions/${id}/turns/${answer.turnId}`);
    return answer;
  }
}
