import { Body, Controller, Inject, Post, Res } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import type { Response } from 'express';
import type { z } from 'zod';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { Accounts } from '../../ports/index.js';
import { authorizedCaller, type AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import { SessionQueries } from '../../engine/queries/session-queries.js';
import { Caller } from '../../http/access/caller.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { streamTicket, streamTicketBody } from './stream-ticket-schemas.js';

@ApiTags('log')
@Controller('v1/stream-tickets')
export class StreamTicketsController {
  constructor(
    private readonly accounts: Accounts,
    private readonly queries: SessionQueries,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'STREAM_TICKET_SECONDS'>,
  ) {}

  @Post()
  @ApiRoute({
    operation: 'createStreamTicket',
    access: 'session.list',
    summary: 'Create a ticket for the event stream of a session, or of all of your sessions',
    description:
      "For EventSource in a browser, which cannot send an Authorization header. A ticket opens one stream of that session, or without `sessionId` one stream of all of the caller's sessions, through any process, and then expires; a client that reconnects creates another one and resumes with `after`.",
    status: 201,
    response: streamTicket,
    problems: ['session_not_found'],
    body: true,
  })
  async create(
    @Caller() caller: AuthorizedCaller,
    @Body({ schema: streamTicketBody }) { sessionId }: z.input<typeof streamTicketBody>,
    @Res({ passthrough: true }) response: Response,
  ) {
    const id = sessionId === undefined ? null : (await this.queries.session(authorizedCaller(caller, 'session.read', caller.now), sessionId.toLowerCase())).id;
    response.setHeader('cache-control', 'no-store');
    return this.accounts.createStreamTicket(caller, id, this.settings.STREAM_TICKET_SECONDS * 1_000);
  }
}
