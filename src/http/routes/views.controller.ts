import { Body, Controller, Get, HttpCode, Inject, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { z } from 'zod';
import { type Settings, SETTINGS } from '../../config/env.js';
import { type ComputeTask, ComputePool } from '../../core/ports.js';
import { SessionQueries } from '../../queries/session-queries.js';
import { Caller } from '../access/caller.js';
import { RawBody } from '../body/raw-body.js';
import { readNormalizeBody } from '../body/normalize-body.js';
import { ApiRoute } from '../documents/api-route.js';
import { PathId } from '../path-id.js';
import { audit, normalizeBody, normalized, payloadQuery, payloadView, request, requests } from '../schemas/view-schemas.js';
import { SerializedMessage } from '../version.interceptor.js';
import type { Principal } from '../../core/session/principal.js';

/** A dry run of a body up to this takes a few hundredths of a second. */
const LARGE_BODY_BYTES = 128 * 1024;

@ApiTags('view')
@Controller('v1')
export class ViewsController {
  constructor(
    private readonly queries: SessionQueries,
    private readonly heavy: ComputePool,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'MAX_JSON_DEPTH'>,
  ) {}

  @Get('sessions/:id/payload')
  @ApiRoute({
    summary: 'What the model would be sent, now or at an earlier version; nothing is called',
    status: 200,
    answer: payloadView,
    refuses: ['session_not_found', 'invalid_input', 'payload_too_large'],
  })
  async payload(@Caller() caller: Principal, @PathId('id') id: string, @Query({ schema: payloadQuery }) query: z.output<typeof payloadQuery>) {
    if (await this.queries.isLarge(caller, id)) return this.#elsewhere({ kind: 'payload', principal: caller, sessionId: id, input: query });
    return this.queries.payload(caller, id, query);
  }

  @Get('sessions/:id/requests')
  @ApiRoute({ summary: 'The ledger of model calls', status: 200, answer: requests, refuses: ['session_not_found'] })
  requests(@Caller() caller: Principal, @PathId('id') id: string) {
    return this.queries.requests(caller, id);
  }

  @Get('sessions/:id/requests/:requestId')
  @ApiRoute({
    summary: 'One model call: what was said, what was sent, and how the one became the other',
    status: 200,
    answer: request,
    refuses: ['session_not_found', 'request_not_found', 'payload_too_large'],
  })
  async request(@Caller() caller: Principal, @PathId('id') id: string, @PathId('requestId') requestId: string) {
    if (await this.queries.isLarge(caller, id)) return this.#elsewhere({ kind: 'request', principal: caller, sessionId: id, requestId });
    return this.queries.request(caller, id, requestId);
  }

  @Get('sessions/:id/audit')
  @ApiRoute({ summary: 'Check the hash chain of the log', status: 200, answer: audit, refuses: ['session_not_found'] })
  audit(@Caller() caller: Principal, @PathId('id') id: string) {
    return this.queries.audit(caller, id);
  }

  @Post('normalize')
  @HttpCode(200)
  @ApiRoute({
    summary: 'What the model would be sent for these messages; nothing is stored or called',
    status: 200,
    answer: normalized,
    refuses: [],
    body: true,
  })
  @RawBody()
  async normalize(@Body({ schema: normalizeBody }) body: Uint8Array) {
    if (body.length > LARGE_BODY_BYTES) return this.#elsewhere({ kind: 'normalize', body });
    return this.queries.normalize(await readNormalizeBody(body, this.settings.MAX_JSON_DEPTH));
  }

  async #elsewhere(task: ComputeTask): Promise<SerializedMessage> {
    const { json, version } = await this.heavy.run(task);
    return new SerializedMessage(json, version);
  }
}
