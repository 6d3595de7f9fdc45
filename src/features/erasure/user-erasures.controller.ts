import { Controller, Delete, Get, HttpCode, Query } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import type { z } from 'zod';
import { DomainError } from '../../../packages/protocol/errors.js';
import { Clock, DueErasures } from '../../ports/index.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import { Caller } from '../../http/access/caller.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { PathId } from '../../http/path-id.js';
import { erasureView, userErasure, userErasures, userEraseQuery } from '../../http/schemas/erasure-schemas.js';

/** Erasing everything that a user owns. Workers do it. */
@ApiTags('erasure')
@Controller('v1/users/:userId')
export class UserErasuresController {
  constructor(
    private readonly due: DueErasures,
    private readonly clock: Clock,
  ) {}

  @Delete('content')
  @HttpCode(202)
  @ApiRoute({
    operation: 'eraseUserContent',
    access: 'tenant.people',
    summary: 'Erase the content of all sessions of a user',
    description:
      'Workers erase them one by one, with their forks; `GET /v1/users/{userId}/erasures` shows the progress. Sessions under a legal hold stay. A request before the last one is done returns that one.',
    status: 202,
    response: userErasure,
    problems: ['invalid_input', 'not_found'],
  })
  async erase(@Caller() caller: AuthorizedCaller, @PathId('userId') userId: string, @Query({ schema: userEraseQuery }) query: z.output<typeof userEraseQuery>) {
    const { tenantId, userId: requestedBy } = caller;
    return erasureView(found(await this.due.request({ id: this.clock.uuid(), tenantId, userId, requestedBy, reason: query.reason ?? null })));
  }

  @Get('erasures')
  @ApiRoute({
    operation: 'listUserErasures',
    access: 'tenant.people',
    summary: 'List the erasures of the content of a user, newest first',
    description: 'Each with its progress: sessions that are erased, and sessions that are left and why.',
    status: 200,
    response: userErasures,
    problems: ['not_found'],
  })
  async list(@Caller() caller: AuthorizedCaller, @PathId('userId') userId: string) {
    return { data: found(await this.due.ofUser(caller.tenantId, userId)).map(erasureView) };
  }
}

function found<T>(value: T | null): T {
  if (value === null) throw new DomainError('not_found', 'The tenant has no user with this id.');
  return value;
}
