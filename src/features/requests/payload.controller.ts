import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import type { z } from 'zod';
import { type ComputeTask, ComputePool } from '../../ports/index.js';
import { SessionQueries } from '../../engine/queries/session-queries.js';
import { Caller } from '../../http/access/caller.js';
import { viewText, type ViewWithPayload } from '../../../packages/normalizer/payload-text.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { payloadQuery, payloadView } from '../../http/schemas/view-schemas.js';
import { SerializedBody } from '../../http/version.interceptor.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';

@ApiTags('view')
@Controller('v1/sessions/:id/payload')
export class PayloadController {
  constructor(
    private readonly queries: SessionQueries,
    private readonly compute: ComputePool,
  ) {}

  @Get()
  @ApiRoute({
    operation: 'getPayload',
    access: 'session.read',
    summary: 'Get the payload that the model would be sent, now or at an earlier version',
    description:
      'With the trace of every change to the conversation, and the digest by which it can be compared with a request that was sent. What was sent before is kept as it was sent, also by another release; `fresh=true` normalizes the whole conversation.',
    status: 200,
    response: payloadView,
    problems: ['invalid_input', 'payload_too_large'],
  })
  async payload(@Caller() caller: AuthorizedCaller, @PathId('id') id: string, @Query({ schema: payloadQuery }) query: z.output<typeof payloadQuery>) {
    if (await this.queries.isLarge(caller, id)) return this.#computed({ kind: 'payload', principal: caller, sessionId: id, input: query });
    return shown(await this.queries.payload(caller, id, query));
  }

  async #computed(task: ComputeTask): Promise<SerializedBody> {
    const { json, version } = await this.compute.run(task);
    return new SerializedBody(json, version);
  }
}

const shown = (view: ViewWithPayload & { readonly version?: number }): SerializedBody => new SerializedBody(Buffer.from(viewText(view)), view.version ?? null);
