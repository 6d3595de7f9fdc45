import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import { SETTINGS } from '../../platform/config/env.js';
import { type ComputeTask, ComputePool } from '../../ports/index.js';
import { SessionQueries } from '../../engine/queries/session-queries.js';
import { RawBody } from '../../http/body/raw-body.js';
import { LARGE_BODY_BYTES } from '../../http/body/json-reader.js';
import { type NormalizeSettings, readNormalizeBody } from '../../http/body/normalize-body.js';
import { viewText, type ViewWithPayload } from '../../../packages/normalizer/payload-text.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { normalizeBody, normalized } from '../../http/schemas/view-schemas.js';
import { SerializedBody } from '../../http/version.interceptor.js';

@ApiTags('view')
@Controller('v1/normalize')
export class NormalizeController {
  constructor(
    private readonly queries: SessionQueries,
    private readonly compute: ComputePool,
    @Inject(SETTINGS) private readonly settings: NormalizeSettings,
  ) {}

  @Post()
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
