import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import type { z } from 'zod';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import { SessionQueries } from '../../engine/queries/session-queries.js';
import { Caller } from '../../http/access/caller.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { accesses, accessesQuery } from './people-schemas.js';

/** Who has read a session. */
@ApiTags('people')
@Controller('v1/sessions/:id/accesses')
export class AccessesController {
  constructor(private readonly queries: SessionQueries) {}

  @Get()
  @ApiRoute({
    operation: 'listAccesses',
    access: 'session.accesses',
    summary: 'List who has read the session without owning it, newest first',
    description: 'Reads by one reader within one hour are one entry. `brokenGlass` lists every emergency access with its reason.',
    status: 200,
    response: accesses,
    problems: ['invalid_input'],
  })
  accesses(
    @Caller() caller: AuthorizedCaller,
    @PathId('id') id: string,
    @Query({ schema: accessesQuery }) { limit = 100, cursor = 0 }: z.output<typeof accessesQuery>,
  ) {
    return this.queries.accesses(caller, id, cursor, limit);
  }
}
