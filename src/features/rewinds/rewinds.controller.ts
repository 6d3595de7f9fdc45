import { Body, Controller, Get, Inject, Post, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '../../http/documents/described.js';
import type { Response } from 'express';
import type { z } from 'zod';
import type { CommandContext } from '../../engine/commands/context.js';
import { RestoreCommand } from '../../engine/commands/restore.js';
import { RewindCommand, type RewindTarget } from '../../engine/commands/rewind.js';
import { SessionQueries } from '../../engine/queries/session-queries.js';
import { Caller } from '../../http/access/caller.js';
import { CommandContextOf } from '../../http/command-context.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { restored, rewindBody, rewinds, rewound } from '../../http/schemas/history-schemas.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { noBody } from '../../http/schemas/session-schemas.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';

@ApiTags('rewinds and branches')
@Controller('v1/sessions/:id/rewinds')
export class RewindsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: SessionQueries,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'WORKSPACE_HISTORY'>,
  ) {}

  @Post()
  @ApiRoute({
    operation: 'rewindSession',
    summary: 'Rewind the conversation, its files, or both to before or after a message',
    description:
      'Later messages leave the conversation and stay in the log; the answer names the rewind, which can be undone, and returns the prompt for editing. With `files` the files of the folder go back as well, and with `messages: false` they alone.',
    status: 201,
    response: rewound,
    problems: ['session_busy', 'message_not_on_path'],
    body: true,
    command: RewindCommand,
  })
  async rewind(
    @PathId('id') id: string,
    @CommandContextOf() context: CommandContext,
    @Body({ schema: rewindBody }) body: z.input<typeof rewindBody>,
    @Res({ passthrough: true }) response: Response,
  ) {
    if (body.files && !this.settings.WORKSPACE_HISTORY) throw noFiles();
    const { reason = null, interrupt = false, files = false, messages = true } = body;
    const answer = await this.commands.execute(new RewindCommand(context, { target: targetOf(body), reason, interrupt, files, messages }));
    response.location(rewindsOf(id));
    return answer;
  }

  @Get()
  @ApiRoute({
    operation: 'listRewinds',
    access: 'session.read',
    summary: 'List the rewinds',
    description: 'Newest last, each with what it left and whether it was undone.',
    status: 200,
    response: rewinds,
    problems: [],
  })
  list(@Caller() caller: AuthorizedCaller, @PathId('id') id: string) {
    return this.queries.rewinds(caller, id);
  }

  @Post(':rewindId/restore')
  @ApiRoute({
    operation: 'restoreRewind',
    summary: 'Undo a rewind',
    description:
      'The messages that the rewind left are the conversation again; what was said since stays as a branch. Files that it took back are again those that it left.',
    status: 201,
    response: restored,
    problems: ['rewind_not_found', 'session_busy'],
    body: true,
    command: RestoreCommand,
  })
  async restore(
    @PathId('id') id: string,
    @PathId('rewindId') rewindId: string,
    @CommandContextOf() context: CommandContext,
    @Body({ schema: noBody }) _: object,
    @Res({ passthrough: true }) response: Response,
  ) {
    const answer = await this.commands.execute(new RestoreCommand(context, { rewindId }));
    response.location(rewindsOf(id));
    return answer;
  }
}

function rewindsOf(id: string): string {
  return `/v1/sessions/${id}/rewinds`;
}

/** The schema guarantees exactly one of the two. */
function targetOf({ before, after = '' }: z.input<typeof rewindBody>): RewindTarget {
  return before === undefined ? { after: after.toLowerCase() } : { before: before.toLowerCase() };
}

const noFiles = (): DomainError =>
  new DomainError('invalid_input', 'The files of sessions are not recorded here, so a rewind cannot take them back: WORKSPACE_HISTORY is off.', [
    { pointer: '/files', text: 'must be false or absent' },
  ]);
