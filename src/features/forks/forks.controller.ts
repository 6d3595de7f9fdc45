import { Body, Controller, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '../../http/documents/described.js';
import type { Response } from 'express';
import type { z } from 'zod';
import type { CommandContext } from '../../engine/commands/context.js';
import { ForkSessionCommand } from '../../engine/commands/fork-session.js';
import { CommandContextOf, sessionIdOf } from '../../http/command-context.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { forkBody } from './fork-schemas.js';
import { session } from '../../http/schemas/session-schemas.js';

@ApiTags('forks and compactions')
@Controller('v1/sessions/:id/forks')
export class ForksController {
  constructor(private readonly commands: CommandBus) {}

  @Post()
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
}
