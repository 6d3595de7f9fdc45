import { z } from 'zod';
import { HOOK_EVENTS } from '../../../packages/protocol/hooks/hook-events.js';
import { jsonObject, queryFlag, queryInteger, time, uuid } from './json.js';
import { eventEnvelope } from './envelope-schemas.js';
import { EVENT_DATA } from './event-schemas.js';
import { message } from './message-schemas.js';
import { resubmission } from './prompt-schemas.js';
import { page, versioned } from './session-schemas.js';

const MAX_SEQ = 999_999_999_999_999;
/** A position in the log: the seq of the last event received. */
const position = queryInteger(0, MAX_SEQ);
const after = position.meta({ description: 'Sequence number of the last event received; 0 starts at the first event.' });
const cursor = position.meta({ description: '`nextCursor` of the previous page.' });
const limit = queryInteger(1, 1_000).meta({ description: 'Maximum number of items in the page.' });

export const messagesQuery = z.strictObject({
  view: z.enum(['transcript', 'full']).optional().meta({ description: '`transcript` (default): what readers see; `full`: every message of the current path.' }),
  split: z.enum(['blocks']).optional().meta({ description: '`blocks`: one content block per message, each with its own uuid.' }),
  tombstones: queryFlag.optional().meta({ description: 'Whether to include a tombstone for the messages that each rewind removed.' }),
  notes: queryFlag.optional().meta({
    description:
      'Whether the transcript has a `tool_use_summary` after each sequence of tool calls and a `turn_duration` after each turn that has ended. They are made from the log; the model never reads them.',
  }),
  limit: limit.optional(),
  cursor: cursor.optional(),
  newest: queryFlag.optional().meta({ description: 'Whether to return the newest entries, up to `limit`, in place of those from `cursor` on.' }),
});

export const eventsQuery = z.strictObject({ after: after.optional(), cursor: cursor.optional(), limit: limit.optional() });

export const streamQuery = z.strictObject({
  after: after.optional(),
  ticket: z.string().max(200).optional().meta({ description: 'A ticket of POST /v1/stream-tickets, in place of the Authorization header.' }),
});

export const messages = page(message)
  .extend({ position: z.int().meta({ description: 'Number of entries before the first one of the page.' }) })
  .meta({ id: 'Messages' });

export const events = page(eventEnvelope).meta({ id: 'Events' });

const rewindsFiles = z
  .boolean()
  .optional()
  .meta({ description: "Whether the files of the session's folder go back; default: no. Restoring the rewind brings them back." });
const rewindsMessages = z
  .boolean()
  .optional()
  .meta({ description: 'Whether the conversation goes back; default: yes. `false` with `files`: only the files go back.' });
const movedFiles = z
  .strictObject({ from: uuid.nullable(), to: uuid.nullable() })
  .optional()
  .meta({ description: 'The versions of the files before and after it; null: an empty folder. Absent: the files stayed.' });

export const rewindBody = z
  .strictObject({
    before: uuid.optional(),
    after: uuid.optional(),
    reason: z.string().nullable().optional(),
    interrupt: z.boolean().optional(),
    files: rewindsFiles,
    messages: rewindsMessages,
  })
  .refine(({ before, after }) => (before === undefined) !== (after === undefined), 'must hold one of `before` and `after`')
  .refine(({ files, messages }) => messages !== false || files === true, {
    message: 'must not be false without `files`: nothing would go back',
    path: ['messages'],
  })
  .meta({ id: 'Rewind', examples: [{ before: '0b5e6c1e-8a44-4d5f-9d3b-0f6a1c2b3d4e', reason: 'wrong question' }] });

export const rewound = z
  .strictObject({
    version: z.int(),
    id: uuid,
    head: uuid.nullable(),
    removed: z.array(uuid),
    permissionMode: z.string(),
    files: movedFiles,
    prompt: resubmission.optional().meta({ description: 'With `before` a prompt that was taken back: its submission.' }),
  })
  .meta({ id: 'Rewound' });

export const restored = z.strictObject({ version: z.int(), id: uuid, head: uuid.nullable(), permissionMode: z.string() }).meta({ id: 'Restored' });

export const rewinds = versioned(
  z.strictObject({
    id: uuid,
    before: uuid.optional(),
    after: uuid.optional(),
    from: uuid.nullable(),
    to: uuid.nullable(),
    removed: z.array(uuid),
    permissionMode: z.string(),
    reason: z.string().nullable(),
    cause: z.enum(['edit', 'regenerate']).optional().meta({ description: 'A prompt took the place of the removed messages.' }),
    replacedBy: uuid.optional(),
    files: movedFiles,
    at: time,
    by: z.string(),
    restoredAt: time.nullable(),
  }),
).meta({ id: 'Rewinds' });

const leftBranch = z
  .strictObject({
    at: time,
    by: uuid.meta({ description: 'Id of the user who left it.' }),
    cause: z
      .enum(['rewind', 'edit', 'regenerate', 'restore', 'import'])
      .meta({ description: '`import`: the imported file had it beside the current branch, and does not say more.' }),
    reason: z.string().nullable(),
    rewindId: uuid.nullable().meta({ description: 'The rewind that left it; null: it was left by a restore, or before an import.' }),
    files: z.boolean().meta({ description: 'Whether the files went back when it was left, so that restoring it brings them back, too.' }),
  })
  .meta({ id: 'LeftBranch' });

const place = z.strictObject({ uuid, timestamp: time });

export const branches = versioned(
  z
    .strictObject({
      tip: uuid.meta({ description: 'Its newest message, which names it in `POST …/branches/{tip}/restore`.' }),
      isCurrent: z.boolean(),
      messages: z.int().meta({ description: 'Number of its messages, from the first message of the conversation to `tip`.' }),
      forkedAfter: uuid.nullable().meta({
        description: 'The newest message that it shares with the current branch; of the current branch: with any other. Null: none.',
      }),
      ownMessages: z.int().meta({ description: 'Number of its messages after `forkedAfter`.' }),
      texts: z.int().meta({ description: 'Number of its messages that have a text for readers, as `messageCount` of the session list counts them.' }),
      ownTexts: z.int().meta({ description: 'Number of those after `forkedAfter`.' }),
      begins: place
        .nullable()
        .meta({ description: 'The first message after `forkedAfter`. Branches that begin with the same message are parts of one line. Null: there is none.' }),
      insteadOf: place.nullable().meta({
        description:
          'The message of the current branch in whose place the branch has others: the first after `forkedAfter` that readers see. Null: the current branch shows none there, or this is the current branch.',
      }),
      first: z
        .strictObject({ uuid, preview: z.string() })
        .nullable()
        .meta({ description: 'The first message after `forkedAfter` that has a text for readers, with the start of that text; null: none has.' }),
      updatedAt: time.meta({ description: 'Time of its newest message.' }),
      left: leftBranch.nullable().meta({ description: 'The last time that it stopped being the current branch; null for the current branch.' }),
    })
    .meta({ id: 'Branch' }),
).meta({ id: 'Branches' });

export const branchRestored = z.strictObject({ version: z.int(), head: uuid.nullable(), permissionMode: z.string() }).meta({ id: 'BranchRestored' });

export const hookRunBody = z
  .strictObject({ event: z.enum(HOOK_EVENTS), toolName: z.string().min(1).max(200).optional(), toolInput: jsonObject.optional(), input: jsonObject.optional() })
  .meta({ id: 'HookRun', examples: [{ event: 'PreToolUse', toolName: 'Bash', toolInput: { command: 'ls' } }] });

export const hookOutcomes = z.strictObject({ version: z.int(), outcomes: z.array(EVENT_DATA['hook.completed']) }).meta({ id: 'HookOutcomes' });
