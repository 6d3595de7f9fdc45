import { z } from 'zod';

export const requestOrigin = z
  .strictObject({ kind: z.literal('gateway'), client: z.string().nullable().meta({ description: 'Its user agent; null: it named none.' }) })
  .meta({ id: 'RequestOrigin', description: 'The client that sent a request through the Anthropic door.' });
