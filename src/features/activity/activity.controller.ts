import { Controller, Get, Query } from '@nestjs/common';
import type { z } from 'zod';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import { Caller } from '../../http/access/caller.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { ApiTags } from '../../http/documents/described.js';
import { Activity } from '../../ports/index.js';
import { activity, activityQuery } from './activity-schemas.js';

/** What people have done to the sessions of their tenant. */
@ApiTags('people')
@Controller('v1/activity')
export class ActivityController {
  constructor(private readonly activity: Activity) {}

  @Get()
  @ApiRoute({
    operation: 'listActivity',
    access: 'tenant.audit',
    summary: 'List what was erased, held, shared and opened in the sessions of the tenant, newest first',
    description:
      'Erasures of sessions, of messages and of all that a user owns, legal holds, roles and links that were given and taken away, and emergency access: by whom, when, and in which session. Nothing of any content, erased or not, and no reasons: these are in the session. What is read by a role or a link is in `GET /v1/sessions/{id}/accesses`.',
    status: 200,
    response: activity,
    problems: ['invalid_input'],
  })
  list(@Caller() { tenantId }: AuthorizedCaller, @Query({ schema: activityQuery }) { kind, limit = 50, cursor }: z.output<typeof activityQuery>) {
    return this.activity.list(tenantId, kind ?? null, limit, cursor ?? null);
  }
}
