import { Body, Controller, Delete, HttpCode, Inject, Put } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import type { z } from 'zod';
import { DomainError } from '../../../packages/protocol/errors.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { Pins, ReadSessions } from '../../ports/index.js';
import { requireAccess } from '../../session/state/access.js';
import { Caller } from '../../http/access/caller.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { noBody } from '../../http/schemas/session-schemas.js';

/** Whether a session is on top of the caller's list. */
@ApiTags('sessions')
@Controller('v1/sessions/:id/pin')
export class PinController {
  constructor(
    private readonly pins: Pins,
    private readonly sessions: ReadSessions,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'PINS_PER_USER'>,
  ) {}

  @Put()
  @HttpCode(204)
  @ApiRoute({
    operation: 'pinSession',
    access: 'session.read',
    summary: 'Pin the session: keep it on top of your list',
    description: 'For you alone; `GET /v1/sessions?pinned=true` lists what you have pinned. It is no event of the session.',
    status: 204,
    response: null,
    problems: ['limit_reached'],
    body: true,
  })
  async pin(@Caller() caller: AuthorizedCaller, @PathId('id') id: string, @Body({ schema: noBody }) _body: z.input<typeof noBody>): Promise<void> {
    requireAccess(await this.sessions.load(caller.tenantId, id), caller);
    const most = this.settings.PINS_PER_USER;
    if (await this.pins.pin(caller, id, most)) return;
    throw new DomainError('limit_reached', `You have pinned ${most} sessions, which is the limit; unpin one.`);
  }

  @Delete()
  @HttpCode(204)
  @ApiRoute({
    operation: 'unpinSession',
    access: 'session.read',
    summary: 'Unpin the session',
    description: 'Also one that you may not read any more.',
    status: 204,
    response: null,
    problems: ['session_not_found'],
  })
  async unpin(@Caller() caller: AuthorizedCaller, @PathId('id') id: string): Promise<void> {
    if (await this.pins.unpin(caller, id)) return;
    requireAccess(await this.sessions.load(caller.tenantId, id), caller);
  }
}
