import { Controller, Get, Headers, Query, Res } from '@nestjs/common';
import { ApiHeader, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { z } from 'zod';
import { DomainError } from '../../../packages/protocol/errors.js';
import { Accounts, Search } from '../../ports/index.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import { Caller } from '../../http/access/caller.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { users, usersQuery } from '../../http/schemas/account-schemas.js';
import { changesQuery } from '../../http/schemas/changes-schemas.js';
import { queryTime, searchQuery, searchResults } from '../../http/schemas/session-schemas.js';
import { EventStreams } from '../../http/stream/event-streams.js';

@ApiTags('finding')
@Controller('v1')
export class SearchController {
  constructor(
    private readonly search: Search,
    private readonly accounts: Accounts,
    private readonly streams: EventStreams,
  ) {}

  @Get('search')
  @ApiRoute({
    operation: 'searchSessions',
    access: 'session.list',
    summary: 'Search titles and what people and the model wrote, newest first',
    description:
      'Finds texts of the current conversations: not thinking, results of tools, messages for the model only, or what a rewind removed. Searches the sessions that you are the first owner of. A fork is found by its own messages; the shared ones belong to the session that it was forked from.',
    status: 200,
    response: searchResults,
    problems: ['invalid_input'],
  })
  find(@Caller() { tenantId, userId }: AuthorizedCaller, @Query({ schema: searchQuery }) { q, limit = 20, cursor }: z.output<typeof searchQuery>) {
    return this.search.find(tenantId, userId, q, limit, cursor ?? null);
  }

  @Get('events/stream')
  @ApiHeader({ name: 'Last-Event-ID', required: false, description: 'Id of the last event received.' })
  @ApiRoute({
    operation: 'streamSessions',
    access: 'session.list',
    summary: 'Stream the changes of all of your sessions (server-sent events)',
    description:
      '`session.changed` has the row of the session list of a session of the caller that has changed: status, turn, title, first and last text, with its `version`. A session that changes often is reported less often than it changes; each event is its state at that time. ' +
      'First what has changed since `Last-Event-ID` or `after` (the header takes precedence; without either nothing), then `sessions.synced`, then changes as they happen. After a reconnection an event may be repeated with the same `version`.',
    status: 200,
    response: 'text/event-stream',
    events: 'SessionsChange',
    ticket: true,
    example: 'id: 2026-01-01T00:00:00.000Z\nevent: session.changed\ndata: {"id":"…","version":7,"status":"running"}\n\nevent: sessions.synced\ndata: {}\n\n',
    problems: ['invalid_input', 'limit_reached'],
  })
  async changes(
    @Caller() caller: AuthorizedCaller,
    @Query({ schema: changesQuery }) { after }: z.output<typeof changesQuery>,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res() response: Response,
  ): Promise<void> {
    await this.streams.openAll(response, caller, lastEventId === undefined ? (after ?? null) : timeOf(lastEventId));
  }

  @Get('users')
  @ApiRoute({
    operation: 'listUsers',
    access: 'tenant.people',
    summary: 'List the users of the tenant',
    description: 'By name, by pages, disabled ones included.',
    status: 200,
    response: users,
    problems: ['invalid_input'],
  })
  async users(@Caller() { tenantId }: AuthorizedCaller, @Query({ schema: usersQuery }) { limit = 50, cursor }: z.output<typeof usersQuery>) {
    const data = await this.accounts.users(tenantId, limit + 1, cursor?.toLowerCase() ?? null);
    return { data: data.slice(0, limit), nextCursor: data.length > limit ? (data[limit - 1]?.id ?? null) : null };
  }
}

function timeOf(lastEventId: string): string {
  const { data, success } = queryTime.safeParse(lastEventId);
  if (success) return data;
  throw new DomainError('invalid_input', 'The header Last-Event-ID must be the id of an event of this stream.', [
    { pointer: 'Last-Event-ID', text: 'must be the id of an event' },
  ]);
}
