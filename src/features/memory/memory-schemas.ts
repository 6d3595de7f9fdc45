import { z } from 'zod';
import { queryFlag, queryInteger, time, uuid } from '../../http/schemas/json.js';

const path = z.string().meta({ description: 'Begins with /memories.', examples: ['/memories/notes.md'] });
const version = z.int().min(1).meta({ description: 'Of the memory as a whole: one more with each change.' });
const bytes = z.int();

const change = {
  version,
  changedAt: time,
  changedBy: uuid,
  sessionId: uuid.nullable().meta({ description: 'The session whose model made the change; null: the user did, over HTTP.' }),
};

export const memoryQuery = z.strictObject({
  deleted: queryFlag.optional().meta({ description: 'Whether to list the paths of deleted files, too.' }),
});

export const memory = z
  .strictObject({
    data: z.array(z.strictObject({ path, bytes, ...change }).meta({ id: 'MemoryFile' })),
    deleted: z
      .array(z.strictObject({ path, ...change }).meta({ id: 'DeletedMemoryFile' }))
      .optional()
      .meta({ description: 'With `deleted=true`: the paths at which there is no file any more, each with the change that deleted it or moved it away.' }),
  })
  .meta({ id: 'Memory' });

export const contentQuery = z.strictObject({
  path,
  version: queryInteger(1, Number.MAX_SAFE_INTEGER).optional().meta({ description: 'An earlier version of the file; left out: the file as it is now.' }),
});

export const content = z.strictObject({ path, content: z.string(), bytes, ...change }).meta({ id: 'MemoryContent' });

export const versionsQuery = z.strictObject({
  path,
  limit: queryInteger(1, 50).optional().meta({ description: 'Maximum number of items in the page.' }),
  cursor: queryInteger(1, Number.MAX_SAFE_INTEGER).optional().meta({ description: '`nextCursor` of the previous page.' }),
});

export const versions = z
  .strictObject({
    data: z.array(
      z
        .strictObject({
          ...change,
          bytes: bytes.nullable().meta({ description: 'Null: the file was deleted, or moved away.' }),
          renamedFrom: z.string().nullable().meta({ description: 'The path from which the file was moved.' }),
        })
        .meta({ id: 'MemoryVersion' }),
    ),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'MemoryVersions' });

export const undoBody = z
  .strictObject({ path, version: version.meta({ description: 'The version of the file that it shall be again.' }) })
  .meta({ id: 'UndoMemory', examples: [{ path: '/memories/notes.md', version: 1 }] });

export const undone = z
  .strictObject({ path, version: version.meta({ description: 'The version that was made; the present one when there was nothing to change.' }) })
  .meta({ id: 'UndoneMemory' });
