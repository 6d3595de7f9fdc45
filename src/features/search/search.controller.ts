import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import type { z } from 'zod';
import { Search } from '../../ports/index.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import { Caller } from '../../http/access/caller.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { searchQuery, searchResults } from '../../http/schemas/session-schemas.js';

@ApiTags('search')
@Controller('v1/search')
export class SearchController {
  constructor(private readonly search: Search) {}

  @Get()
  @ApiRoute({
    operation: 'searchSessions',
    access: 'session.list',
    summary: 'Search titles and what people and the model wrote, newest first',
    description:
      'Finds texts of the current conversations: not thinking, results of tools, messages for the model only, or what a rewind removed. Searches the sessions that you are the first owner of. A fork is found by its own messages; the shared ones belong to the session that it was forked from.',
    status: 200,
    response: searchResults,
    problems: ['invalid_input'],
  })
  find(@Caller() { tenantId, userId }: AuthorizedCaller, @Query({ schema: searchQuery }) { q, limit = 20, cursor }: z.output<typeof searchQuery>) {
    return this.search.find(tenantId, userId, q, limit, cursor ?? null);
  }
}
