import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { z } from 'zod';
import { CompactCommand } from '../../engine/commands/compact.js';
import type { CommandContext } from '../../engine/commands/context.js';
import { ForkSessionCommand } from '../../engine/commands/fork-session.js';
import { CommandContextOf, sessionIdOf } from '../../http/command-context.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { compactionBody, forkBody } from './branch-schemas.js';
import { promptAnswer } from '../../http/schemas/prompt-schemas.js';
import { session } from '../../http/schemas/session-schemas.js';

@ApiTags('forks and compactions')
@Controller('v1/sessions/:id')
export class BranchesController {
  constructor(private readonly commands: CommandBus) {}

  @Post('forks')
  @ApiRoute({
    operation: 'forkSession',
    summary: 'Fork the session at a message',
    description:
      'Creates a session that shares the history up to that message. Later changes to one do not affect the other. This session is unchanged, and may have a running turn.',
    status: 201,
    response: session,
    problems: ['message_not_on_path', 'quota_exceeded'],
    body: true,
    command: ForkSessionCommand,
  })
  async fork(
    @PathId('id') _: string,
    @CommandContextOf() context: CommandContext,
    @Body({ schema: forkBody }) body: z.input<typeof forkBody>,
    @Res({ passthrough: true }) response: Response,
  ) {
    const made = await this.commands.execute(
      new ForkSessionCommand(context, { forkId: sessionIdOf(context), at: body.at?.toLowerCase() ?? null, title: body.title ?? null }),
    );
    response.location(`/v1/sessions/${made.id}`);
    return made;
  }

  @Post('compactions')
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
