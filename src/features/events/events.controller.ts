import { Controller, Get, Headers, Query, Res } from '@nestjs/common';
import { ApiTags, header } from '../../http/documents/described.js';
import type { Response } from 'express';
import type { z } from 'zod';
import { DomainError } from '../../../packages/protocol/errors.js';
import { SessionQueries } from '../../engine/queries/session-queries.js';
import { Caller } from '../../http/access/caller.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { events, eventsQuery, streamQuery } from '../../http/schemas/history-schemas.js';
import { changesQuery } from '../../http/schemas/changes-schemas.js';
import { queryTime } from '../../http/schemas/session-schemas.js';
import { EventStreams } from '../../http/stream/event-streams.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';

const STREAM_NOTE =
  'Stored events with their sequence number as id, then one event `synced`, then new events as they are appended. `message.delta`, `tool.progress` and `queue.changed` are live only and carry no id. ' +
  'Resumes after `Last-Event-ID` or `after`; the header takes precedence. Comments keep the connection open.';

@ApiTags('log')
@Controller('v1')
export class EventsController {
  constructor(
    private readonly queries: SessionQueries,
    private readonly streams: EventStreams,
  ) {}

  @Get('sessions/:id/events')
  @ApiRoute({
    operation: 'listEvents',
    access: 'session.read',
    summary: 'List the events of the log',
    description: 'In order, by pages; `after` names the last event that is known. The stream of events has the same envelopes.',
    status: 200,
    response: events,
    problems: ['invalid_input'],
  })
  events(@Caller() caller: AuthorizedCaller, @PathId('id') id: string, @Query({ schema: eventsQuery }) query: z.output<typeof eventsQuery>) {
    return this.queries.events(caller, id, query.cursor ?? query.after ?? 0, query.limit ?? 100);
  }

  @Get('sessions/:id/events/stream')
  @header('Last-Event-ID', 'Sequence number of the last event received.')
  @ApiRoute({
    operation: 'streamEvents',
    access: 'session.read',
    summary: 'Stream the events of the log (server-sent events)',
    description: STREAM_NOTE,
    status: 200,
    response: 'text/event-stream',
    events: 'StreamedEvent',
    ticket: true,
    example: 'id: 1\nevent: session.created\ndata: {"id":"…","seq":1}\n\nevent: synced\ndata: {"version":1}\n\n',
    problems: ['invalid_input', 'limit_reached'],
  })
  async stream(
    @Caller() caller: AuthorizedCaller,
    @PathId('id') id: string,
    @Query({ schema: streamQuery }) query: z.output<typeof streamQuery>,
    @Headers('last-event-id') lastEventId: string | undefined,
    @Res() response: Response,
  ): Promise<void> {
    await this.streams.open(response, caller, id, lastEventId === undefined ? (query.after ?? 0) : positionOf(lastEventId));
  }

  @Get('events/stream')
  @header('Last-Event-ID', 'Id of the last event received.')
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
}

function positionOf(lastEventId: string): number {
  if (/^\d{1,15}$/.test(lastEventId)) return Number(lastEventId);
  throw new DomainError('invalid_input', 'The header Last-Event-ID must be the sequence number of an event.', [
    { pointer: 'Last-Event-ID', text: 'must be a whole number' },
  ]);
}

function timeOf(lastEventId: string): string {
  const { data, success } = queryTime.safeParse(lastEventId);
  if (success) return data;
  throw new DomainError('invalid_input', 'The header Last-Event-ID must be the id of an event of this stream.', [
    { pointer: 'Last-Event-ID', text: 'must be the id of an event' },
  ]);
}
