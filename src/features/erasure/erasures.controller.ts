import { Controller, Delete, Get, HttpCode, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '../../http/documents/described.js';
import type { z } from 'zod';
import type { CommandContext } from '../../engine/commands/context.js';
import { EraseMessageCommand } from './erase-message.js';
import { EraseSessionCommand } from './erase-session.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import { SessionQueries } from '../../engine/queries/session-queries.js';
import { Caller } from '../../http/access/caller.js';
import { CommandContextOf } from '../../http/command-context.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { eraseQuery, erasure, erasures } from '../../http/schemas/erasure-schemas.js';

/** Erasing what a session contains. */
@ApiTags('erasure')
@Controller('v1/sessions/:id')
export class ErasuresController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: SessionQueries,
  ) {}

  @Delete()
  @HttpCode(202)
  @ApiRoute({
    operation: 'eraseSession',
    summary: 'Erase the content of the session',
    description:
      'A running turn is interrupted first. The log keeps ids, kinds, sizes and times, so that it can still be audited; the session stays as a closed, archived one and accepts nothing more. ' +
      'Erasing it again returns the first receipt. The problem `session_has_forks` has a member `forks` with their ids.',
    status: 202,
    response: erasure,
    problems: ['legal_hold', 'session_has_forks', 'session_busy'],
    command: EraseSessionCommand,
  })
  session(@PathId('id') _: string, @CommandContextOf() context: CommandContext, @Query({ schema: eraseQuery }) query: z.output<typeof eraseQuery>) {
    return this.commands.execute(new EraseSessionCommand(context, { reason: query.reason ?? null, includeForks: query.includeForks ?? false }));
  }

  @Delete('messages/:uuid')
  @HttpCode(202)
  @ApiRoute({
    operation: 'eraseMessage',
    summary: 'Erase one message',
    description:
      'By the uuid of the message, or the id of its prompt, which a command that does not exist and a withdrawn prompt have, too. With a prompt, everything that was made of it; with an answer, all its parts and the inputs of its tool calls. Summaries that were written later are erased too. Other messages that quote it are not: ' +
      'erase them one by one.',
    status: 202,
    response: erasure,
    problems: ['legal_hold', 'message_not_found', 'session_has_forks', 'session_busy'],
    command: EraseMessageCommand,
  })
  message(
    @PathId('id') _: string,
    @PathId('uuid') uuid: string,
    @CommandContextOf() context: CommandContext,
    @Query({ schema: eraseQuery }) query: z.output<typeof eraseQuery>,
  ) {
    return this.commands.execute(new EraseMessageCommand(context, { uuid, reason: query.reason ?? null, includeForks: query.includeForks ?? false }));
  }

  @Get('erasures')
  @ApiRoute({
    operation: 'listErasures',
    access: 'session.audit',
    summary: 'List the receipts of erasures',
    description: 'What was erased, when, by whom and why, and how many events, bytes and files; never the content.',
    status: 200,
    response: erasures,
    problems: [],
  })
  list(@Caller() caller: AuthorizedCaller, @PathId('id') id: string) {
    return this.queries.erasures(caller, id);
  }
}
