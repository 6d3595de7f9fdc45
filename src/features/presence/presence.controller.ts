import { Body, Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import type { z } from 'zod';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import { Accounts, Clock, LiveBus, Sessions } from '../../ports/index.js';
import { requireAccess } from '../../session/state/access.js';
import { Caller } from '../../http/access/caller.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { presenceBody } from './presence-schemas.js';

/** Who of the readers of a session is here. */
@ApiTags('people in a session')
@Controller('v1/sessions/:id/presence')
export class PresenceController {
  constructor(
    private readonly sessions: Sessions,
    private readonly accounts: Accounts,
    private readonly live: LiveBus,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'PRESENCE_MS'>,
  ) {}

  @Post()
  @HttpCode(204)
  @ApiRoute({
    operation: 'announcePresence',
    access: 'session.read',
    summary: 'Tell the other readers of a session that you read or write',
    description:
      'They get an event `presence` on their event streams. Nothing is stored: repeat it before `expiresAt`, and those who come later learn of you then.',
    status: 204,
    response: null,
    problems: [],
    body: true,
  })
  async announce(
    @Caller() caller: AuthorizedCaller,
    @PathId('id') id: string,
    @Body({ schema: presenceBody }) { state }: z.output<typeof presenceBody>,
  ): Promise<void> {
    const { tenantId, userId } = caller;
    requireAccess(await this.sessions.load(tenantId, id), caller);
    const name = (await this.accounts.names(tenantId, [userId])).get(userId) ?? '';
    const expiresAt = new Date(this.clock.now() + (state === 'left' ? 0 : this.settings.PRESENCE_MS)).toISOString();
    this.live.publish({ kind: 'delta', sessionId: id, type: 'presence', data: { userId, name, state, expiresAt } });
  }
}
