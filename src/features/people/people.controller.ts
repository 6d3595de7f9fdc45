import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import { Accounts, ReadSessions } from '../../ports/index.js';
import { requireAccess } from '../../session/state/access.js';
import type { SessionState } from '../../session/state/state.js';
import { Caller } from '../../http/access/caller.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { people } from './people-schemas.js';

/** Several people in one session: who they are. */
@ApiTags('people in a session')
@Controller('v1/sessions/:id/people')
export class PeopleController {
  constructor(
    private readonly sessions: ReadSessions,
    private readonly accounts: Accounts,
  ) {}

  @Get()
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

/** By user; the owner, those with a grant and those who had emergency access also when they have submitted none. */
function promptsByUser({ ownerId, grants, readers, prompts }: SessionState): ReadonlyMap<string, number> {
  const granted = [...grants.keys()].flatMap((principal) => USER_GRANT.exec(principal)?.[1] ?? []);
  const counts = new Map([...(ownerId === null ? [] : [ownerId]), ...granted, ...readers.keys()].map((userId) => [userId, 0]));
  for (const { by } of prompts.values()) counts.set(by, (counts.get(by) ?? 0) + 1);
  return counts;
}
