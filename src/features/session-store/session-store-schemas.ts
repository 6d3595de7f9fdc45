import { z } from 'zod';
import { json, label, queryFlag, queryInteger, uuid } from '../../http/schemas/json.js';

const projectKey = label(2_000).meta({ description: 'What the program calls the project.', examples: ['-home-me-project'] });
const sessionId = label(200).meta({ description: 'What the program calls its session.', examples: ['8f1c2a34-5b6d-4e7f-8a90-b1c2d3e4f506'] });
const subpath = label(1_000).meta({ description: 'The file of a subagent, such as `subagents/agent-1`; left out: the main file.' });
const summary = z.int().meta({ description: 'The number of the summary; 0: the file has none.' });

/** The first line of the body of an append. */
export const fileHeader = z.strictObject({
  projectKey,
  sessionId,
  subpath: subpath.optional(),
  summary: z.strictObject({ data: json, after: z.int().min(0) }).optional(),
});

export const EXAMPLE =
  '{"projectKey":"-home-me-project","sessionId":"8f1c2a34-5b6d-4e7f-8a90-b1c2d3e4f506"}\n' +
  '{"type":"user","uuid":"0b5e6c1e-8a44-4d5f-9d3b-0f6a1c2b3d4e","parentUuid":null,"message":{"role":"user","content":"What is 2+2?"}}\n';

export const appended = z
  .strictObject({
    id: uuid.meta({ description: 'The session that the file is.' }),
    version: z.int(),
    appended: z.int().meta({ description: 'Lines that the file did not have; 0 for a repeat.' }),
    lines: z.int().meta({ description: 'Lines of the whole file.' }),
    summary,
  })
  .meta({ id: 'AppendedLines' });

export const listQuery = z.strictObject({
  projectKey,
  sessionId: sessionId
    .optional()
    .meta({ description: 'All files of this session, those of subagents and archived ones too; left out: the main files of all sessions.' }),
  summaries: queryFlag.optional().meta({ description: 'Also the summaries, for which each session is read.' }),
  limit: queryInteger(1, 100).optional().meta({ description: 'Maximum number of items in the page.' }),
  cursor: z.string().optional().meta({ description: '`nextCursor` of the previous page.' }),
});

export const files = z
  .strictObject({
    data: z.array(
      z
        .strictObject({
          id: uuid.meta({ description: 'The session that the file is.' }),
          sessionId: z.string(),
          subpath: z.string().nullable(),
          mtime: z.int().meta({ description: 'The last change of the session, milliseconds since the epoch.' }),
          summary: json.optional().meta({ description: 'As it was appended last; null: the file has none.' }),
          summaryNumber: summary.optional(),
        })
        .meta({ id: 'SessionFile' }),
    ),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'SessionFiles' });

export const linesQuery = z.strictObject({
  projectKey,
  sessionId,
  subpath: subpath.optional(),
  after: queryInteger(0, Number.MAX_SAFE_INTEGER).optional().meta({ description: '`next` of the previous page.' }),
});

export const lines = z
  .strictObject({
    id: uuid,
    data: z.array(z.string()).meta({ description: 'JSON texts as they were appended, in that order. Lines that were erased are left out.' }),
    next: z.int().nullable().meta({ description: 'Where the next page begins; null: this is the last one.' }),
  })
  .meta({ id: 'SessionFileLines' });
