import { z } from 'zod';
import { importReport } from '../../../packages/protocol/events/origin.js';
import { queryFlag, uuid } from '../../http/schemas/json.js';
import { schemaOf, schemasOf } from '../../http/schemas/schema-of-shape.js';

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

const { source, messages, lines: _, origin: __, ...report } = importReport;

export const imported = z
  .strictObject({ id: uuid, version: z.int(), source: schemaOf(source), imported: schemaOf(messages), ...schemasOf(report) })
  .meta({ id: 'Imported' });
