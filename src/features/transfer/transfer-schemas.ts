import { z } from 'zod';
import { queryFlag, uuid } from '../../http/schemas/json.js';

export const NDJSON = 'application/x-ndjson';

export const EXAMPLE =
  '{"type":"session","format":"verbatim/2","title":"Sums"}\n{"type":"user","uuid":"0b5e6c1e-8a44-4d5f-9d3b-0f6a1c2b3d4e","parentUuid":null,"content":"What is 2+2?"}\n';

export const exportQuery = z.strictObject({
  format: z.enum(['jsonl', 'log']).optional().meta({ description: '`jsonl`, the default: the conversation. `log`: the events, with what proves them.' }),
  branches: z
    .enum(['all', 'current'])
    .optional()
    .meta({ description: 'With `format=jsonl`: every branch with its rewinds and restores, the default, or the messages of the current branch alone.' }),
});

export const markdownQuery = z.strictObject({ thinking: queryFlag.optional().meta({ description: 'Also the thinking of the model, folded.' }) });

export const imported = z
  .strictObject({
    id: uuid,
    version: z.int(),
    source: z.enum(['verbatim', 'claude-code']).meta({ description: 'The program that wrote the file.' }),
    imported: z.int().meta({ description: 'Messages made; one answer of the model may have taken several lines.' }),
    moves: z.int().meta({ description: 'Rewinds and restores made.' }),
    preserved: z.int().meta({ description: 'Messages that compactions of the active branch keep verbatim for the model.' }),
    reattached: z.int().meta({ description: 'Prompts that the file attaches to a line beside the conversation; here they follow its newest answer.' }),
    offBranch: z.array(uuid).meta({ description: 'Messages that are not on the active branch, the first 200 of them.' }),
    offBranchTotal: z.int(),
    retained: z.record(z.string(), z.int()).meta({ description: 'Number of lines by type that were stored but are never sent to the model.' }),
    skipped: z.array(z.strictObject({ line: z.int(), reason: z.string() })).meta({ description: 'Lines that could not be read, the first 200 of them.' }),
    skippedTotal: z.int(),
    shortened: z
      .array(z.strictObject({ line: z.int(), reason: z.string() }))
      .meta({ description: 'Lines that were too long and are stored without the copy of a tool result that their program displays, the first 200 of them.' }),
  })
  .meta({ id: 'Imported' });
