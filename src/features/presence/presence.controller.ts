import { Body, Controller, Get, HttpCode, Inject, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { z } from 'zod';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import { Accounts, Clock, LiveBus, Sessions } from '../../ports/index.js';
import { requireAccess } from '../../session/state/access.js';
import type { SessionState } from '../../session/state/state.js';
import { Caller } from '../../http/access/caller.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { people, presenceBody } from './presence-schemas.js';

/** Several people in one session: who they are, and who is here. */
@ApiTags('people in a session')
@Controller('v1/sessions/:id')
export class PresenceController {
  constructor(
    private readonly sessions: Sessions,
    private readonly accounts: Accounts,
    private readonly live: LiveBus,
    private readonly clock: Clock,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'PRESENCE_MS'>,
  ) {}

  @Post('presence')
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

  @Get('people')
  @ApiRoute({
    operation: 'listPeople',
    access: 'session.read',
    summary: 'List the people of a session with their names',
    description: 'Events and messages name people by id: this gives the names.',
    status: 200,
    response: people,
    problems: [],
  })
  async people(@Caller() caller: AuthorizedCaller, @PathId('id') id: string) {
    const state = await this.sessions.load(caller.tenantId, id);
    requireAccess(state, caller);
    const { ownerId } = state;
    const prompts = promptsByUser(state);
    const names = await this.accounts.names(caller.tenantId, [...prompts.keys()]);
    return {
      data: [...prompts].flatMap(([userId, count]) => {
        const name = names.get(userId);
        return name === undefined ? [] : [{ userId, name, isOwner: userId === ownerId, prompts: count }];
      }),
    };
  }
}

const USER_GRANT = /^user:(.+)$/;

/** By user; the owner, those with a grant and those who have broken the glass also when they have submitted none. */
function promptsByUser({ ownerId, grants, readers, prompts }: SessionState): ReadonlyMap<string, number> {
  const granted = [...grants.keys()].flatMap((principal) => USER_GRANT.exec(principal)?.[1] ?? []);
  const counts = new Map([...(ownerId === null ? [] : [ownerId]), ...granted, ...readers.keys()].map((userId) => [userId, 0]));
  for (const { by } of prompts.values()) counts.set(by, (counts.get(by) ?? 0) + 1);
  return counts;
}
