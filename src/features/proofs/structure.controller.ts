import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import type { z } from 'zod';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import { SessionQueries } from '../../engine/queries/session-queries.js';
import { Caller } from '../../http/access/caller.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { events, eventsQuery } from '../../http/schemas/history-schemas.js';

@ApiTags('proof')
@Controller('v1/sessions/:id/structure')
export class StructureController {
  constructor(private readonly sessions: SessionQueries) {}

  @Get()
  @ApiRoute({
    operation: 'listStructure',
    access: 'session.audit',
    summary: 'List the events of the log without their content',
    description: 'Ids, kinds, numbers and times of every event, as an erasure would leave them. For auditors, who do not read content.',
    status: 200,
    response: events,
    problems: ['invalid_input'],
  })
  structure(@Caller() caller: AuthorizedCaller, @PathId('id') id: string, @Query({ schema: eventsQuery }) query: z.output<typeof eventsQuery>) {
    return this.sessions.structure(caller, id, query.cursor ?? query.after ?? 0, query.limit ?? 100);
  }
}
