import { z } from 'zod';

/** Sums over the requests of a session or turn. */
export const usageTotals = z
  .strictObject({ inputTokens: z.number(), outputTokens: z.number(), cacheReadTokens: z.number(), cacheCreationTokens: z.number(), requests: z.number() })
  .meta({ id: 'UsageTotals', description: 'Tokens and requests of the model, summed up.' });
