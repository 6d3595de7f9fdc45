import { Body, Controller, Get, HttpCode, Inject, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { z } from 'zod';
import { SETTINGS } from '../../platform/config/env.js';
import { type ComputeTask, ComputePool } from '../../ports/index.js';
import { SessionQueries } from '../../engine/queries/session-queries.js';
import { Caller } from '../../http/access/caller.js';
import { RawBody } from '../../http/body/raw-body.js';
import { LARGE_BODY_BYTES } from '../../http/body/json-reader.js';
import { type NormalizeSettings, readNormalizeBody } from '../../http/body/normalize-body.js';
import { viewText, type ViewWithPayload } from '../../../packages/normalizer/payload-text.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { normalizeBody, normalized, payloadQuery, payloadView, request, requests } from '../../http/schemas/view-schemas.js';
import { SerializedBody } from '../../http/version.interceptor.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';

@ApiTags('view')
@Controller('v1')
export class RequestsController {
  constructor(
    private readonly queries: SessionQueries,
    private readonly compute: ComputePool,
    @Inject(SETTINGS) private readonly settings: NormalizeSettings,
  ) {}

  @Get('sessions/:id/payload')
  @ApiRoute({
    operation: 'getPayload',
    access: 'session.read',
    summary: 'Get the payload that the model would be sent, now or at an earlier version',
    description:
      'As the normalizer makes it of the conversation: with the trace of every change to it, and the digest by which it can be compared with a request that was sent.',
    status: 200,
    response: payloadView,
    problems: ['invalid_input', 'payload_too_large'],
  })
  async payload(@Caller() caller: AuthorizedCaller, @PathId('id') id: string, @Query({ schema: payloadQuery }) query: z.output<typeof payloadQuery>) {
    if (await this.queries.isLarge(caller, id)) return this.#computed({ kind: 'payload', principal: caller, sessionId: id, input: query });
    return shown(await this.queries.payload(caller, id, query));
  }

  @Get('sessions/:id/requests')
  @ApiRoute({
    operation: 'listRequests',
    access: 'session.audit',
    summary: 'List the model requests',
    description: 'Oldest first, with model, usage, outcome and digests; without content.',
    status: 200,
    response: requests,
    problems: [],
  })
  requests(@Caller() caller: AuthorizedCaller, @PathId('id') id: string) {
    return this.queries.requests(caller, id);
  }

  @Get('sessions/:id/requests/:requestId')
  @ApiRoute({
    operation: 'getRequest',
    access: 'session.read',
    summary: 'Get a model request: the original messages, the payload, and the trace between them',
    description: 'What was stored, what was sent, and each step between them with its reason.',
    status: 200,
    response: request,
    problems: ['request_not_found', 'payload_too_large'],
  })
  async request(@Caller() caller: AuthorizedCaller, @PathId('id') id: string, @PathId('requestId') requestId: string) {
    if (await this.queries.isLarge(caller, id)) return this.#computed({ kind: 'request', principal: caller, sessionId: id, requestId });
    return shown(await this.queries.request(caller, id, requestId));
  }

  @Post('normalize')
  @HttpCode(200)
  @ApiRoute({
    operation: 'normalizeMessages',
    access: 'tenant.use',
    summary: 'Get the payload that the model would be sent for these messages; nothing is stored',
    description:
      'A dry run: the same passes as before a real request, for messages of this service or of the API, with the trace and what the API would refuse.',
    status: 200,
    response: normalized,
    problems: [],
    body: true,
  })
  @RawBody()
  async normalize(@Body({ schema: normalizeBody }) body: Uint8Array) {
    if (body.length > LARGE_BODY_BYTES) return this.#computed({ kind: 'normalize', body });
    return shown(await this.queries.normalize(await readNormalizeBody(body, this.settings)));
  }

  async #computed(task: ComputeTask): Promise<SerializedBody> {
    const { json, version } = await this.compute.run(task);
    return new SerializedBody(json, version);
  }
}

const shown = (view: ViewWithPayload & { readonly version?: number }): SerializedBody => new SerializedBody(Buffer.from(viewText(view)), view.version ?? null);
