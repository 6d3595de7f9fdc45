import { z } from 'zod';
import { uuid } from './json.js';

const prefix = z
  .strictObject({
    system: z.string(),
    tools: z.string(),
    messages: z.array(z.string()).readonly(),
    tail: z.array(z.array(z.string()).readonly()).readonly(),
    shared: z.int(),
    at: z.array(z.int()).readonly().optional(),
  })
  .meta({
    description:
      'First halves of SHA-256 digests of the parts of the request, hexadecimal; of the messages, those from `shared` on, or, when these are many, those at the positions `at`.',
  });

/** Data of `request.sent`. */
export const sentRequest = z.strictObject({
  requestId: uuid,
  turnId: uuid,
  ordinal: z.int().meta({ description: 'Counts the requests of a turn from 1.' }),
  at: z.int().meta({ description: 'The payload is a function of the events up to this sequence number.' }),
  model: z.string(),
  profile: z.string(),
  gates: z.record(z.string(), z.boolean()).meta({ description: 'The feature gates that were on.' }),
  betas: z.array(z.string()).readonly().optional().meta({ description: 'Values of the `anthropic-beta` header; absent: none.' }),
  normalizer: z.string(),
  maxTokens: z.int(),
  digest: z.string().meta({ description: 'SHA-256 of the request body, hexadecimal.' }),
  bytes: z.int(),
  prefix,
  purpose: z.literal('compaction').optional(),
  compaction: z
    .strictObject({
      trigger: z.enum(['manual', 'auto']),
      instructions: z.string().nullable(),
      keptFrom: uuid.nullable(),
      from: uuid.nullable(),
      to: uuid.nullable(),
      omitted: z.int(),
      preTokens: z.number().nullable(),
    })
    .optional(),
});
