import { z } from 'zod';

const MAX_INSTRUCTIONS = 20_000;

export const compactionBody = z
  .strictObject({ instructions: z.string().max(MAX_INSTRUCTIONS).nullable().optional().meta({ description: 'What is wanted of the summary.' }) })
  .meta({ id: 'Compaction', examples: [{ instructions: 'Keep every file name.' }] });
