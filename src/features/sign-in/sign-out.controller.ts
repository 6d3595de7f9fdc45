import { Body, Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import type { Request, Response } from 'express';
import type { z } from 'zod';
import { LiveBus } from '../../ports/index.js';
import { BrowserSignIns } from '../../http/access/browser-sign-ins.js';
import { announceRevocation } from '../../http/access/revocations.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { noBody } from '../../http/schemas/session-schemas.js';

@ApiTags('sign-in')
@Controller('v1/sign-out')
export class SignOutController {
  constructor(
    private readonly browsers: BrowserSignIns,
    private readonly live: LiveBus,
  ) {}

  @Post()
  @HttpCode(204)
  @ApiRoute({
    operation: 'signOut',
    access: 'public',
    summary: 'Sign the browser out',
    description: 'Ends the sign-in of the cookie, if there is one, and deletes the cookie.',
    status: 204,
    response: null,
    problems: ['forbidden', 'tenant_moving', 'unavailable'],
    body: true,
  })
  async signOut(@Req() request: Request, @Res({ passthrough: true }) response: Response, @Body({ schema: noBody }) _: z.output<typeof noBody>): Promise<void> {
    this.browsers.requireOwnPage(request);
    const tenantId = await this.browsers.end(request, response);
    if (tenantId !== null) announceRevocation(this.live, tenantId);
  }
}
