import { All, Controller, Head, HttpCode, Inject, Post, Req, Res, UseFilters } from '@nestjs/common';
import { described } from '../../http/documents/described.js';
import type { Request, Response } from 'express';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { ApiKeyHeader, RequireAccess } from '../../http/access/access.js';
import { Caller } from '../../http/access/caller.js';
import { StreamedBody } from '../../http/body/body.interceptor.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { AnthropicErrors } from './anthropic-errors.filter.js';
import { Gateway } from './gateway.js';
import { targetOf } from './target.js';

/** Those that show nothing of the account whose key the deployment has, and cost nothing: files and batches of the account are of all tenants. */
const OF_NO_ACCOUNT = /^(POST \/v1\/messages\/count_tokens|GET \/v1\/models(\/[^/?]+)?)(\?|$)/;

/** The Messages API for its own clients. Its documentation is that of the model API, so it is not in the OpenAPI document. */
@described((library) => [library.ApiExcludeController()])
@UseFilters(AnthropicErrors)
@Controller('anthropic')
export class GatewayController {
  constructor(
    private readonly gateway: Gateway,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'GATEWAY' | 'GATEWAY_OTHER_ROUTES'>,
  ) {}

  /** Claude Code asks it before its first request, without credentials. */
  @Head('api/hello')
  @HttpCode(200)
  @RequireAccess('public')
  hello(): void {
    // The status says it all.
  }

  @Post('v1/messages')
  @RequireAccess('tenant.use')
  @ApiKeyHeader()
  @StreamedBody()
  messages(@Caller() caller: AuthorizedCaller, @Req() request: Request, @Res() response: Response): Promise<void> {
    this.#requireOpen();
    return this.gateway.pass(caller, request, response, targetOf(request.originalUrl), 'recorded');
  }

  @All('v1/*path')
  @RequireAccess('tenant.use')
  @ApiKeyHeader()
  @StreamedBody()
  async other(@Caller() caller: AuthorizedCaller, @Req() request: Request, @Res() response: Response): Promise<void> {
    this.#requireOpen();
    const target = targetOf(request.originalUrl);
    const isFree = OF_NO_ACCOUNT.test(`${request.method} ${target}`);
    if (this.settings.GATEWAY_OTHER_ROUTES === 'off' && !isFree) {
      throw new DomainError('not_found', 'This route is not passed on: it reaches what all users of the key share. GATEWAY_OTHER_ROUTES=on passes it on.');
    }
    await this.gateway.pass(caller, request, response, target, isFree ? 'free' : 'counted');
  }

  #requireOpen(): void {
    if (this.settings.GATEWAY === 'off') throw new DomainError('not_found', 'This server has no Anthropic door: GATEWAY is off.');
  }
}
