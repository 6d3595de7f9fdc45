import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '../../http/documents/described.js';
import type { z } from 'zod';
import type { AuthorizedCaller } from '../../../packages/protocol/access/principal.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { Clock, UsageStore } from '../../ports/index.js';
import { Caller } from '../../http/access/caller.js';
import { ApiRoute } from '../../http/documents/api-route.js';
import { usageQuery, usageReport } from './usage-report-schemas.js';

const DAY_MS = 86_400_000;

const DEFAULT_DAYS = 30;

/** Most days of one report. */
const MAX_DAYS = 366;

@ApiTags('usage')
@Controller('v1/usage')
export class UsageController {
  constructor(
    private readonly store: UsageStore,
    private readonly clock: Clock,
  ) {}

  @Get()
  @ApiRoute({
    operation: 'getUsage',
    access: 'tenant.usage',
    summary: 'Get the usage of the tenant by day, user, model, session, or day and model',
    description:
      'Prompts count for the user who submitted them, requests of the model for the user of the prompt that they answer. Erasing content changes nothing here.',
    status: 200,
    response: usageReport,
    problems: ['invalid_input'],
  })
  async usage(
    @Caller() { tenantId }: AuthorizedCaller,
    @Query({ schema: usageQuery }) { groupBy = 'day', limit = 100, user, ...range }: z.output<typeof usageQuery>,
  ) {
    const to = range.to ?? dayOf(this.clock.now());
    const from = range.from ?? dayOf(Date.parse(to) - DEFAULT_DAYS * DAY_MS);
    requireRange(from, to);
    const { data, total, hasMore } = await this.store.report(tenantId, { from, to, groupBy, userId: user ?? null }, limit);
    const { key: _, model: __, ...sum } = total;
    return { from, to, groupBy, data, total: sum, hasMore };
  }
}

const dayOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);

function requireRange(from: string, to: string): void {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  const text = days < 1 ? 'must not be after the last day' : days > MAX_DAYS ? `must be at most ${MAX_DAYS} days before the last one` : null;
  if (text !== null) throw new DomainError('invalid_input', 'The range of days is not valid.', [{ pointer: '?from', text }]);
}
