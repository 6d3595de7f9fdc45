import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import { type ComputeTask, ComputePool } from '../../ports/index.js';
import { SessionQueries } from '../../engine/queries/session-queries.js';
import { Caller } from '../../http/access/caller.js';
import { viewText, type ViewWithPayload } from '../../../packages/normalizer/payload-text.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { anyRequest, requests } from '../../http/schemas/view-schemas.js';
import { SerializedBody } from '../../http/version.interceptor.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';

@ApiTags('view')
@Controller('v1/sessions/:id/requests')
export class RequestsController {
  constructor(
    private readonly queries: SessionQueries,
    private readonly compute: ComputePool,
  ) {}

  @Get()
  @ApiRoute({
    operation: 'listRequests',
    access: 'session.audit',
    summary: 'List the model requests',
    description: 'Oldest first, with model, usage, outcome and digests; without content. `client`: those that an imported file has a record of.',
    status: 200,
    response: requests,
    problems: [],
  })
  requests(@Caller() caller: AuthorizedCaller, @PathId('id') id: string) {
    return this.queries.requests(caller, id);
  }

  @Get(':requestId')
  @ApiRoute({
    operation: 'getRequest',
    access: 'session.read',
    summary: 'Get a model request: the original messages, the payload, and the trace between them',
    description:
      'What was stored, what was sent, and each step between them with its reason. Of an imported file, also a request that its program had sent and recorded there (`recordedBy: client`): its messages with their hashes, and where each was found.',
    status: 200,
    response: anyRequest,
    problems: ['request_not_found', 'payload_too_large'],
  })
  async request(@Caller() caller: AuthorizedCaller, @PathId('id') id: string, @PathId('requestId') requestId: string) {
    if (await this.queries.isLarge(caller, id)) return this.#computed({ kind: 'request', principal: caller, sessionId: id, requestId });
    return shown(await this.queries.request(caller, id, requestId));
  }

  async #computed(task: ComputeTask): Promise<SerializedBody> {
    const { json, version } = await this.compute.run(task);
    return new SerializedBody(json, version);
  }
}

const shown = (view: ViewWithPayload & { readonly version?: number }): SerializedBody => new SerializedBody(Buffer.from(viewText(view)), view.version ?? null);
