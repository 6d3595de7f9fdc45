import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { z } from 'zod';
import type { Principal } from '../../core/ports.js';
import { SessionQueries } from '../../queries/session-queries.js';
import { Caller } from '../access/caller.js';
import { Documented } from '../documents/documented.js';
import { PathId } from '../path-id.js';
import { audit, normalizeBody, normalized, payloadQuery, payloadView, request, requests } from '../schemas/view-schemas.js';

@ApiTags('view')
@Controller('v1')
export class ViewsController {
  constructor(private readonly queries: SessionQueries) {}

  @Get('sessions/:id/payload')
  @Documented({
    summary: 'What the model would be sent, now or at an earlier version; nothing is called',
    status: 200,
    answer: payloadView,
    refuses: ['session_not_found', 'invalid_input'],
  })
  payload(@Caller() caller: Principal, @PathId('id') id: string, @Query({ schema: payloadQuery }) query: z.output<typeof payloadQuery>) {
    return this.queries.payload(caller, id, query);
  }

  @Get('sessions/:id/requests')
  @Documented({ summary: 'The ledger of model calls', status: 200, answer: requests, refuses: ['session_not_found'] })
  requests(@Caller() caller: Principal, @PathId('id') id: string) {
    return this.queries.requests(caller, id);
  }

  @Get('sessions/:id/requests/:requestId')
  @Documented({ summary: 'One model call: what was said, what was sent, and how the one became the other', status: 200, answer: request, refuses: ['session_not_found', 'request_not_found'] })
  request(@Caller() caller: Principal, @PathId('id') id: string, @PathId('requestId') requestId: string) {
    return this.queries.request(caller, id, requestId);
  }

  @Get('sessions/:id/audit')
  @Documented({ summary: 'Check the hash chain of the log', status: 200, answer: audit, refuses: ['session_not_found'] })
  audit(@Caller() caller: Principal, @PathId('id') id: string) {
    return this.queries.audit(caller, id);
  }

  @Post('normalize')
  @HttpCode(200)
  @Documented({ summary: 'What the model would be sent for these messages; nothing is stored or called', status: 200, answer: normalized, refuses: [], body: true })
  normalize(@Body({ schema: normalizeBody }) body: z.input<typeof normalizeBody>) {
    return this.queries.normalize(body);
  }
}
