import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import { Admission } from '../../engine/commands/admission.js';
import { may, TENANT } from '../../../packages/protocol/access/may.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import { Caller } from '../../http/access/caller.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { quotaStates } from './usage-report-schemas.js';

@ApiTags('usage')
@Controller('v1/quotas')
export class QuotasController {
  constructor(private readonly admission: Admission) {}

  @Get()
  @ApiRoute({
    operation: 'listQuotas',
    access: 'tenant.use',
    summary: 'List your quotas and what you have used of them',
    description: 'Of requests, tokens and money, by day and by month, with the time at which each begins again.',
    status: 200,
    response: quotaStates,
    problems: [],
  })
  async quotas(@Caller() caller: AuthorizedCaller) {
    const { endsAt, states } = await this.admission.states(caller);
    const isTenant = may(caller, 'tenant.usage', TENANT);
    return { resetsAt: endsAt, data: states.filter(({ scope }) => scope !== 'tenant' || isTenant) };
  }
}
