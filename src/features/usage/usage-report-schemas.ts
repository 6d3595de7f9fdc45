import { z } from 'zod';
import { USAGE_GROUPS } from '../../ports/index.js';
import { queryInteger, time, uuid } from '../../http/schemas/json.js';

const day = z.iso.date().refine((text) => text >= '1970-01-01', 'must not be before 1970');

export const usageQuery = z.strictObject({
  from: day.optional().meta({ description: 'First day, UTC; absent: 30 days before the last one.' }),
  to: day.optional().meta({ description: 'Last day, UTC; absent: today.' }),
  groupBy: z
    .enum(USAGE_GROUPS)
    .optional()
    .meta({ description: 'What is summed up in one entry; `dayAndModel`: what each model was used for on each day; absent: day.' }),
  user: uuid.optional().meta({ description: 'Only the usage of this user.' }),
  limit: queryInteger(1, 1_000).optional().meta({ description: 'Most entries; absent: 100.' }),
});

const sum = {
  prompts: z.number(),
  requests: z.number().meta({ description: 'Requests of the model that were answered.' }),
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheReadTokens: z.number(),
  cacheCreationTokens: z.number(),
  cost: z.number().meta({ description: 'US dollars, by the prices of the deployment when the requests were answered.' }),
};

export const usageReport = z
  .strictObject({
    from: z.iso.date(),
    to: z.iso.date(),
    groupBy: z.enum(USAGE_GROUPS),
    data: z
      .array(
        z.strictObject({
          key: z.string().meta({ description: 'The day, the id of the user or session, or the model family; of `dayAndModel` the day.' }),
          model: z.string().optional().meta({ description: 'Of `dayAndModel` only: the model family.' }),
          ...sum,
        }),
      )
      .meta({ description: 'Days in their order, and of one day the most expensive model first; otherwise the most expensive first.' }),
    total: z.strictObject(sum).meta({ description: 'Of all entries, also those that `limit` leaves out.' }),
    hasMore: z.boolean(),
  })
  .meta({ id: 'UsageReport' });

export const quotaStates = z
  .strictObject({
    resetsAt: time.meta({ description: 'When the quotas per day are renewed.' }),
    data: z.array(
      z.strictObject({
        scope: z.enum(['tenant', 'user', 'token', 'session']),
        quota: z.enum(['promptsPerDay', 'tokensPerDay', 'dollarsPerDay', 'sessions', 'storageBytes']),
        limit: z.number(),
        used: z.number(),
      }),
    ),
  })
  .meta({
    id: 'QuotaStates',
    description: 'Your quotas and what you have used of them; with the right to read the usage of the tenant, those of the tenant, too.',
  });
