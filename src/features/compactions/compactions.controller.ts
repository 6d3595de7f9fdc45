import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '../../http/documents/described.js';
import type { Response } from 'express';
import type { z } from 'zod';
import { CompactCommand } from '../../engine/commands/compact.js';
import type { CommandContext } from '../../engine/commands/context.js';
import { CommandContextOf } from '../../http/command-context.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { compactionBody } from './compaction-schemas.js';
import { promptAnswer } from '../../http/schemas/prompt-schemas.js';

@ApiTags('forks and compactions')
@Controller('v1/sessions/:id/compactions')
export class CompactionsController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
  @HttpCode(202)
  @ApiRoute({
    operation: 'compactSession',
    summary: 'Compact the conversation so far into a summary',
    description:
      'Runs as a turn, queued after the running one. The model then continues from the summary and the latest turns; the transcript keeps everything, and a rewind undoes it.',
    status: 202,
    response: promptAnswer,
    problems: ['session_closed', 'nothing_to_compact', 'limit_reached'],
    body: true,
    command: CompactCommand,
  })
  async compact(
    @PathId('id') id: string,
    @CommandContextOf() context: CommandContext,
    @Body({ schema: compactionBody }) body: z.input<typeof compactionBody>,
    @Res({ passthrough: true }) response: Response,
  ) {
    const answer = await this.commands.execute(new CompactCommand(context, { instructions: body.instructions ?? null }));
    if (answer.turnId !== undefined) response.location(`/v1/sessions/${id}/turns/${answer.turnId}`);
    return answer;
  }
}
