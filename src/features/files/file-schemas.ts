import { z } from 'zod';
import { queryFlag, queryInteger, time, uuid } from '../../http/schemas/json.js';
import { page, versioned } from '../../http/schemas/session-schemas.js';

const place = uuid.meta({ description: 'A version of the files, or a message: the files after it. Absent: the current files.' });
const limit = queryInteger(1, 1_000).meta({ description: 'Maximum number of items in the page.' });
const cursor = queryInteger(0, 999_999_999_999_999).meta({ description: '`nextCursor` of the previous page.' });
const path = z.string().min(1).max(4_096);

export const filesQuery = z.strictObject({ at: place.optional(), limit: limit.optional(), cursor: cursor.optional() });
export const fileQuery = z.strictObject({
  path: path.meta({ description: "Path of the file from the session's folder.", examples: ['notes.txt'] }),
  at: place.optional(),
});
export const versionsQuery = z.strictObject({ limit: limit.optional(), cursor: cursor.optional() });
export const diffQuery = z.strictObject({
  from: uuid.optional().meta({ description: 'A version of the files, or a message. Absent: the version before `to`.' }),
  to: place.optional(),
  turn: uuid.optional().meta({ description: 'A turn, instead of `from` and `to`: what was changed in it.' }),
  rewind: uuid.optional().meta({
    description: 'A message, instead of these: what a rewind of the files to before it would change in the current ones.',
  }),
  path: path.optional().meta({ description: 'Only this file.' }),
  patches: queryFlag.optional().meta({ description: 'Whether texts are compared; default: yes. `false`: only which files differ.' }),
});

const file = z.strictObject({
  path: z.string(),
  mode: z.int().meta({ description: 'As of stat: permissions, and for a symbolic link 0120777 (its content is its target).' }),
  sha256: z.string(),
  size: z.int().meta({ description: 'Bytes.' }),
});

const skipped = z
  .array(z.strictObject({ path: z.string(), reason: z.string() }))
  .meta({ description: 'What was in the folder and was not recorded; the first of them.' });
const filesVersion = uuid.nullable().meta({ description: 'The version of the files; null: an empty folder.' });

export const files = page(file).extend({ at: filesVersion, skipped }).meta({ id: 'Files' });

export const fileVersions = page(
  z.strictObject({
    id: uuid,
    base: filesVersion,
    seq: z.int(),
    at: time,
    cause: z.enum(['step', 'outside']).meta({ description: '`outside`: found in the folder before a step.' }),
    turnId: uuid.nullable().meta({ description: 'The turn that it was found in; null: it was imported.' }),
    message: uuid
      .nullable()
      .meta({ description: 'The newest message of its turn that readers see; null: there is none, or the change is from before a fork or an import.' }),
    toolUseId: z.string().nullable().meta({ description: 'The call after which it was found.' }),
    changed: z.int().meta({ description: 'Number of files that are new or changed.' }),
    deleted: z.int(),
    isCurrent: z.boolean(),
    isErased: z.boolean().meta({ description: 'An erasure of its message has taken what it changed.' }),
  }),
)
  .extend({
    records: z
      .boolean()
      .meta({ description: 'Whether the server records what tools change now; what was recorded before, or imported, is listed in any case.' }),
  })
  .meta({ id: 'FileVersions' });

export const fileDiff = versioned(
  z.strictObject({
    path: z.string(),
    change: z.enum(['added', 'changed', 'deleted']),
    before: file.nullable(),
    after: file.nullable(),
    patch: z.string().nullable().meta({ description: 'Unified diff; null: see `omitted`.' }),
    omitted: z.enum(['binary', 'large', 'same', 'unasked']).nullable().meta({
      description:
        'Why there is no patch. `same`: only the mode differs; `large`: more than WORKSPACE_DIFF_BYTES, too different, or after the first 500 patches; ask for the file by `path`; `unasked`: with `patches=false`.',
    }),
  }),
)
  .extend({ from: filesVersion, to: filesVersion })
  .meta({ id: 'FileDiff' });
