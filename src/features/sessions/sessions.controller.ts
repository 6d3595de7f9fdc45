import { Body, Controller, Get, HttpCode, Inject, Patch, Post, Query, Res } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiTags } from '../../http/documents/described.js';
import type { Response } from 'express';
import type { z } from 'zod';
import { AccessLog } from '../../engine/commands/access-log.js';
import { CloseSessionCommand } from './close-session.js';
import { ConfigureSessionCommand } from './configure-session.js';
import type { CommandContext } from '../../engine/commands/context.js';
import { CreateSessionCommand } from '../../engine/commands/create-session.js';
import { ReopenSessionCommand } from './reopen-session.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { SessionQueries } from '../../engine/queries/session-queries.js';
import { Caller } from '../../http/access/caller.js';
import { CommandContextOf } from '../../http/command-context.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { listQuery, noBody, reasonBody, session, sessionList, sessionSettings } from '../../http/schemas/session-schemas.js';
import { newSession, settingsChanged } from '../../http/new-session.js';
import { type AuthorizedCaller, authorizedCaller } from '../../../packages/protocol/access/principal.js';
import { withoutTexts } from '../../session/state/session-row.js';

@ApiTags('sessions')
@Controller('v1/sessions')
export class SessionsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: SessionQueries,
    private readonly accesses: AccessLog,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'MODEL'>,
  ) {}

  @Post()
  @ApiRoute({
    operation: 'createSession',
    summary: 'Create a session',
    description: "Settings that are left out have the tenant's defaults. The answer names the model, the tools and the permission mode that are in force.",
    status: 201,
    response: session,
    problems: ['quota_exceeded', 'model_not_allowed'],
    body: true,
    command: CreateSessionCommand,
  })
  async create(
    @CommandContextOf() context: CommandContext,
    @Body({ schema: sessionSettings }) body: z.input<typeof sessionSettings>,
    @Res({ passthrough: true }) response: Response,
  ) {
    const made = await this.commands.execute(new CreateSessionCommand(context, { settings: newSession(body, this.settings.MODEL) }));
    response.location(`/v1/sessions/${made.id}`);
    return made;
  }

  @Get()
  @ApiRoute({
    operation: 'listSessions',
    access: 'session.list',
    summary: 'List sessions, most recent activity first',
    description:
      'Your own; with `scope=shared` those in which you have a role by a grant; with `scope=tenant`, for admins and auditors, those of all users, without their texts. Archived sessions are listed with `archived=true` only; `PATCH …/sessions/{id}` with `archived` changes that.',
    status: 200,
    response: sessionList,
    problems: ['invalid_input'],
  })
  async list(@Caller() caller: AuthorizedCaller, @Query({ schema: listQuery }) query: z.output<typeof listQuery>) {
    const { limit = 50, cursor = null, user, archived = false, scope = 'own', pinned = false, ...given } = query;
    const filter = { ...given, ...(pinned ? { pinnedBy: caller.userId } : {}) };
    const found = await this.queries.list(caller, { ...filter, userId: user?.toLowerCase() ?? null, archived }, limit, cursor, scope);
    if (scope !== 'shared') return found;
    const readable = await this.accesses.recordAll(
      authorizedCaller(caller, 'session.read', caller.now),
      found.data.map((row) => row.id),
    );
    return { ...found, data: found.data.map((row) => (readable.has(row.id) ? row : withoutTexts(row))) };
  }

  @Get(':id')
  @ApiRoute({
    operation: 'getSession',
    access: 'session.read',
    summary: 'Get a session',
    description: 'Status, settings, usage and the position in the log, without messages.',
    status: 200,
    response: session,
    problems: [],
  })
  read(@Caller() caller: AuthorizedCaller, @PathId('id') id: string) {
    return this.queries.session(caller, id);
  }

  @Patch(':id')
  @ApiRoute({
    operation: 'updateSession',
    summary: 'Change settings; absent members keep their values',
    description: 'A change holds from the next request to the model on; a running turn keeps what it was asked with.',
    status: 200,
    response: session,
    problems: ['model_not_allowed'],
    body: true,
    command: ConfigureSessionCommand,
  })
  configure(@PathId('id') _: string, @CommandContextOf() context: CommandContext, @Body({ schema: sessionSettings }) changes: z.input<typeof sessionSettings>) {
    return this.commands.execute(new ConfigureSessionCommand(context, { changes: settingsChanged(changes) }));
  }

  @Post(':id/close')
  @HttpCode(200)
  @ApiRoute({
    operation: 'closeSession',
    summary: 'Close the session: it accepts no prompts until it is reopened',
    description: 'A running turn is interrupted and queued prompts are withdrawn. Reading, forking, exporting and erasing remain possible.',
    status: 200,
    response: session,
    problems: ['session_busy'],
    body: true,
    command: CloseSessionCommand,
  })
  close(@PathId('id') _: string, @CommandContextOf() context: CommandContext, @Body({ schema: reasonBody }) body: z.input<typeof reasonBody>) {
    return this.commands.execute(new CloseSessionCommand(context, { reason: body.reason ?? null }));
  }

  @Post(':id/reopen')
  @HttpCode(200)
  @ApiRoute({
    operation: 'reopenSession',
    summary: 'Reopen a closed session',
    description: 'It accepts prompts again, with everything it had.',
    status: 200,
    response: session,
    problems: ['session_not_closed'],
    body: true,
    command: ReopenSessionCommand,
  })
  reopen(@PathId('id') _: string, @CommandContextOf() context: CommandContext, @Body({ schema: noBody }) _body: object) {
    return this.commands.execute(new ReopenSessionCommand(context));
  }
}
