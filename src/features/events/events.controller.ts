import { Controller, Get, Headers, Inject, Query, Res } from '@nestjs/common';
import { ApiHeader, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import type { z } from 'zod';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { SessionQueries } from '../../engine/queries/session-queries.js';
import { Caller } from '../../http/access/caller.js';
import { leaveDoor } from '../../http/access/tenant-door.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { events, eventsQuery, messages, messagesQuery, streamQuery } from '../../http/schemas/history-schemas.js';
import { turn, turnQuery } from '../../http/schemas/prompt-schemas.js';
import { EventStreams } from '../../http/stream/event-streams.js';
import { TurnWait } from '../../http/stream/turn-wait.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';

const STREAM_NOTE =
  'Stored events with their sequence number as id, then one event `synced`, then new events as they are appended. `message.delta`, `tool.progress` and `queue.changed` are live only and carry no id. ' +
  'Resumes after `Last-Event-ID` or `after`; the header takes precedence. Comments keep the connection open.';

@ApiTags('log')
@Controller('v1/sessions/:id')
export class EventsController {
  constructor(
    private readonly queries: SessionQueries,
    private readonly streams: EventStreams,
    private readonly turnWait: TurnWait,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'MAX_WAIT_SECONDS'>,
  ) {}

  @Get('messages')
  @ApiRoute({
    operation: 'listMessages',
    access: 'session.read',
    summary: 'List the transcript, or every message',
    description:
      '`view=transcript` (the default) is for display: prompts, answers, results of tool calls, notices and attachments for readers, each with its author in `by` (`kind`: `user`, `model` or ' +
      '`system`; `id`: the user or the model). `isInterruption` marks the note that a user interrupted the turn. `view=full` has every stored message, unchanged, including those for the model only.',
    status: 200,
    response: messages,
    problems: ['invalid_input'],
  })
  messages(@Caller() caller: AuthorizedCaller, @PathId('id') id: string, @Query({ schema: messagesQuery }) query: z.output<typeof messagesQuery>) {
    const { view = 'transcript', split, tombstones = false, limit = 100, cursor = 0, newest = false } = query;
    return this.queries.messages(caller, id, { view, split: split === 'blocks', tombstones, after: newest ? 'newest' : cursor, limit });
  }

  @Get('events')
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

  @Get('events/stream')
  @ApiHeader({ name: 'Last-Event-ID', required: false, description: 'Sequence number of the last event received.' })
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

  @Get('turns/:turnId')
  @ApiRoute({
    operation: 'getTurn',
    access: 'session.read',
    summary: 'Get a turn; with `wait`, after it has stopped running',
    description: 'Responds when the turn is neither queued nor running, or when the time is up.',
    status: 200,
    response: turn,
    problems: ['turn_not_found', 'invalid_input'],
  })
  async turn(
    @Caller() caller: AuthorizedCaller,
    @PathId('id') id: string,
    @PathId('turnId') turnId: string,
    @Query({ schema: turnQuery }) query: z.output<typeof turnQuery>,
    @Res({ passthrough: true }) response: Response,
  ) {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    if (query.wait) leaveDoor(response);
    return this.turnWait.turn(caller, id, turnId, Math.min(query.wait ?? 0, this.settings.MAX_WAIT_SECONDS), gone.signal);
  }
}

function positionOf(lastEventId: string): number {
  if (/^\d{1,15}$/.test(lastEventId)) return Number(lastEventId);
  throw new DomainError('invalid_input', 'The header Last-Event-ID must be the sequence number of an event.', [
    { pointer: 'Last-Event-ID', text: 'must be a whole number' },
  ]);
}
