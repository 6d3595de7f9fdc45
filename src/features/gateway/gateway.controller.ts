import { All, Controller, Head, HttpCode, Inject, Post, Req, Res, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { ApiKeyHeader, RequireAccess } from '../../http/access/access.js';
import { Caller } from '../../http/access/caller.js';
import { StreamedBody } from '../../http/body/body.interceptor.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { AnthropicErrors } from './anthropic-errors.filter.js';
import { Gateway } from './gateway.js';

const DOOR = '/anthropic';

/** Those that show nothing of the account whose key the deployment has: files and batches of the account are of all tenants. */
const OF_NO_ACCOUNT = /^\/anthropic\/v1\/(messages\/count_tokens|models(\/[^/]+)?)$/;

/** The Messages API for its own clients. Its documentation is that of the model API, so it is not in the OpenAPI document. */
@ApiExcludeController()
@UseFilters(AnthropicErrors)
@Controller('anthropic')
export class GatewayController {
  constructor(
    private readonly gateway: Gateway,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'GATEWAY_OTHER_ROUTES'>,
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
    return this.gateway.pass(caller, request, response, targetOf(request), true);
  }

  @All('v1/*path')
  @RequireAccess('tenant.use')
  @ApiKeyHeader()
  @StreamedBody()
  async other(@Caller() caller: AuthorizedCaller, @Req() request: Request, @Res() response: Response): Promise<void> {
    if (this.settings.GATEWAY_OTHER_ROUTES === 'off' && !OF_NO_ACCOUNT.test(request.path)) {
      throw new DomainError('not_found', 'This route is not passed on: it reaches what all users of the key share. GATEWAY_OTHER_ROUTES=on passes it on.');
    }
    await this.gateway.pass(caller, request, response, targetOf(request), false);
  }
}

const targetOf = ({ originalUrl }: Request): string => originalUrl.slice(DOOR.length);
