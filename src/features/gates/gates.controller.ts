import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import { GATE_DESCRIPTIONS } from '../../../packages/protocol/gates.js';
import { GateSource } from '../../ports/index.js';
import { Caller } from '../../http/access/caller.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { configuredGates } from '../../http/schemas/account-schemas.js';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';

@ApiTags('configuration')
@Controller('v1/gates')
export class GatesController {
  constructor(private readonly gateSource: GateSource) {}

  @Get()
  @ApiRoute({
    operation: 'listGates',
    access: 'tenant.use',
    summary: 'List the feature gates, their state and its source',
    description: 'A gate switches a part of normalization or of prompts on; the source says whether the deployment or the default decided.',
    status: 200,
    response: configuredGates,
    problems: [],
  })
  async gates(@Caller() caller: AuthorizedCaller) {
    const gates = await this.gateSource.list(caller.tenantId);
    return { data: gates.map((gate) => ({ ...gate, description: GATE_DESCRIPTIONS[gate.name] })) };
  }
}
