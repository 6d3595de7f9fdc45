import { z } from 'zod';
import { ruleFault } from '../../../packages/protocol/permissions/rule.js';
import { toolProblem } from '../../../packages/normalizer/api-rules/tool-problem.js';
import { dictionary, list } from './bounded.js';
import type { Json } from '../../../packages/protocol/message/content.js';
import { jsonObject, label, LABEL_LENGTH, queryFlag, queryInteger, time, uuid } from './json.js';
import { permissionMode } from './message-schemas.js';
import { modelOptions } from './model-option-schemas.js';
import { usageTotals } from './usage-schemas.js';
import type { SessionView } from '../../session/state/session-view.js';
import type { ClientTool } from '../../../packages/protocol/message/tool-definition.js';
import { requestOrigin } from '../../../packages/protocol/events/sent-request.js';
import { schemaOf } from './schema-of-shape.js';

const toolName = z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/, 'must be 1 to 128 letters, digits, _ or -');

const clientTool = z
  .strictObject({
    name: toolName,
    aliases: list(toolName, 'MAX_CLIENT_TOOLS')
      .optional()
      .meta({ description: 'Further names by which calls reach the tool, such as earlier ones. The model is sent the tool once, by its name.' }),
    description: z.string().optional(),
    input_schema: jsonObject,
    defer_loading: z.boolean().optional().meta({
      description:
        'With the gate `tool-search` and a model that has it, the model sees the tool once a result of another tool names it in a `tool_reference`; otherwise at once.',
    }),
  })
  .meta({ id: 'ClientTool', description: "A tool that the client runs. The shape is the model API's." });

export const clientTools = list(clientTool, 'MAX_CLIENT_TOOLS').superRefine((tools, context) => {
  const seen = new Set<string>();
  const note = (name: string, path: readonly (string | number)[]): void => {
    if (seen.has(name)) context.addIssue({ code: 'custom', path: [...path], message: 'is a name of another tool in the list' });
    seen.add(name);
  };
  tools.forEach(({ name }, index) => note(name, [index, 'name']));
  tools.forEach(({ aliases = [] }, index) => aliases.forEach((alias, at) => note(alias, [index, 'aliases', at])));
});

/** Tools that the model API would reject are rejected here: otherwise every request of the session would fail. */
const sessionTools = clientTools.superRefine((tools, context) => {
  tools.forEach((tool, index) => {
    const problem = toolProblem(tool as ClientTool);
    // Other faults of the shape are reported by the schema.
    if (!problem?.at.startsWith('input_schema.')) return;
    context.addIssue({ code: 'custom', path: [index, ...problem.at.split('.')], message: `is rejected by the model API: ${problem.text}` });
  });
});

/** Maximum length of a rule, in UTF-16 code units. */
const RULE_LENGTH = 1_000;

const rule = z
  .string()
  .max(RULE_LENGTH)
  .superRefine((text, context) => {
    const fault = ruleFault(text);
    if (fault !== null) context.addIssue({ code: 'custom', message: fault });
  });

const ruleList = list(rule, 'MAX_PERMISSION_RULES');

export const permissionRules = z
  .strictObject({ allow: ruleList.optional(), deny: ruleList.optional(), ask: ruleList.optional() })
  .meta({ id: 'PermissionRules', description: "Which calls of the server's tools are allowed, are denied, or need a decision. Replaced as a whole." });

const namedTexts = dictionary(z.string().min(1), z.string(), 'MAX_CONTEXT_TEXTS');

const settings = {
  model: label(200),
  system: z.string().nullable(),
  context: namedTexts.meta({ description: 'Named texts shown to the model in front of the conversation.' }),
  systemContext: namedTexts.meta({ description: 'Named values at the end of the system prompt.' }),
  permissionMode,
  permissions: permissionRules,
  tools: sessionTools,
  metadata: jsonObject.meta({ description: 'Yours; never sent to the model.' }),
};

const autoCompact = z
  .boolean()
  .nullable()
  .meta({ description: 'Whether the conversation is compacted by itself when it outgrows the window of the model; null: as the server does.' });

/** A hundred years. */
const MAX_RETENTION_DAYS = 36_525;

export const retentionDays = z.int().min(1).max(MAX_RETENTION_DAYS).nullable().meta({
  description: 'Days after the last change when the content of a session is erased; of the values of tenant and session, the smaller one. null: never.',
});

const archived = z.boolean().meta({ description: 'Kept out of the session list unless asked for.' });

export const sessionSettings = z
  .strictObject({ title: label(LABEL_LENGTH).nullable(), ...settings, autoCompact, retentionDays, archived, modelOptions: modelOptions.nullable() })
  .partial()
  .meta({
    id: 'SessionSettings',
    examples: [{ title: 'Sums', system: 'Answer briefly.', tools: [{ name: 'add', description: 'Adds numbers', input_schema: { type: 'object' } }] }],
  });

export const reasonBody = z.strictObject({ reason: z.string().nullable().optional() }).meta({ id: 'Reason', examples: [{ reason: 'done' }] });

export const noBody = z.strictObject({}).meta({ id: 'Nothing', examples: [{}] });

const status = z.enum(['idle', 'running', 'waiting', 'closed']);

/** Maximum length of the text of a search, and of a metadata filter, in UTF-16 code units. */
const SEARCH_LENGTH = 1_000;

/** A time in a query string, as the store compares it. */
export const queryTime = z.iso
  .datetime({ offset: true })
  .refine((text) => Date.parse(text) >= 0, 'must not be before 1970')
  .transform((text) => new Date(text).toISOString())
  .meta({ type: 'string', format: 'date-time' });

const queryObject = label(SEARCH_LENGTH)
  .transform((text, context): { readonly [key: string]: Json } => {
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === 'object' && value !== null && !Array.isArray(value) && isStorable(value)) return value as { readonly [key: string]: Json };
    } catch {
      // Reported below.
    }
    context.issues.push({ code: 'custom', message: 'must be a JSON object such as {"project":"x"}', input: text });
    return z.NEVER;
  })
  .meta({ type: 'string' });

/** jsonb holds neither U+0000 nor half a character. */
function isStorable(value: unknown): boolean {
  return !/\\u(?:0000|d[89a-f]..)/i.test(JSON.stringify(value));
}

const pageLimit = queryInteger(1, 200).optional().meta({ description: 'Maximum number of items in the page.' });
const pageCursor = z.string().min(1).max(1_000).optional().meta({ description: '`nextCursor` of the previous page, with the same filters.' });

export const listQuery = z.strictObject({
  limit: pageLimit,
  cursor: pageCursor,
  user: uuid.optional().meta({ description: 'Sessions of this owner only.' }),
  scope: z.enum(['own', 'shared', 'tenant']).optional().meta({
    description:
      '`own` (the default), `shared`: by a grant to you or one of your groups, or `tenant`: of all users, without titles and texts (admin, auditor).',
  }),
  parent: uuid.optional().meta({ description: 'The helpers of this session; otherwise sessions that are no helpers.' }),
  status: status.optional().meta({ description: 'Sessions with this status only.' }),
  pinned: queryFlag.optional().meta({ description: '`true`: sessions that you have pinned.' }),
  archived: queryFlag.optional().meta({ description: '`true`: the archived sessions; otherwise the others.' }),
  model: label(200).optional().meta({ description: 'Sessions with this name as setting `model`.' }),
  metadata: queryObject.optional().meta({ description: 'A JSON object that the metadata of the session must contain.' }),
  title: label(SEARCH_LENGTH).optional().meta({ description: 'Words that the title must contain, in the syntax of the search.' }),
  updatedAfter: queryTime.optional().meta({ description: 'Sessions that changed at this time or later.' }),
  updatedBefore: queryTime.optional().meta({ description: 'Sessions last changed before this time.' }),
});

export const searchQuery = z.strictObject({
  q: label(SEARCH_LENGTH).meta({
    description: 'Words that must all occur, `"quoted phrases"`, `or`, and `-word` for what must not occur.',
    examples: ['word'],
  }),
  limit: queryInteger(1, 100).optional().meta({ description: 'Maximum number of items in the page.' }),
  cursor: pageCursor,
});

export const session = z
  .strictObject({
    id: uuid,
    version: z.int().meta({ description: 'Sequence number of the last event.' }),
    status,
    title: z.string().nullable(),
    ...settings,
    autoCompact: autoCompact.optional(),
    retentionDays: retentionDays.optional(),
    modelOptions: modelOptions.nullable().optional(),
    archived,
    head: uuid.nullable(),
    queueLength: z.int(),
    turnId: uuid.nullable(),
    usage: usageTotals,
    createdAt: time,
    updatedAt: time,
    userId: z.string(),
    forkedFrom: z
      .strictObject({ sessionId: uuid, at: uuid.nullable(), seq: z.int() })
      .nullable()
      .meta({ description: 'Where it took leave of the session it was made of.' }),
    parent: z
      .strictObject({ sessionId: uuid, toolUseId: z.string() })
      .nullable()
      .meta({ description: 'The call of `Agent` that it was created for; null: it is no helper.' }),
    erased: z.boolean().meta({ description: 'Its content was erased, or is being erased; it accepts nothing more.' }),
    held: z.boolean().meta({ description: 'It is under a legal hold: nothing of it is erased.' }),
    origin: schemaOf(requestOrigin.nullable().about('Of the newest request to the model; null: the server made it, or there is none.')),
  })
  .meta({ id: 'Session' });

/** Compiles only while the schema has every member of what is answered. */
type NoneOf<Member extends never> = Member;
export type UndocumentedMembers = NoneOf<Exclude<keyof SessionView, keyof z.output<typeof session>>>;

export const sessionListItem = z
  .strictObject({
    id: uuid,
    version: z.int().meta({ description: 'Sequence number of the last event.' }),
    userId: z.string(),
    title: z.string().nullable(),
    model: z.string(),
    status,
    archived,
    queueLength: z.int(),
    turnId: uuid.nullable(),
    messageCount: z.int().meta({
      description:
        'Number of messages of the current conversation that have a text which a person or the model wrote. An answer that only calls tools has none, nor has a prompt of files alone; results of tools, notices and summaries are not counted.',
    }),
    firstText: z.string().nullable().meta({ description: 'The start of the first of these texts.' }),
    lastText: z.string().nullable().meta({ description: 'The start of the last of these texts.' }),
    folder: z
      .string()
      .nullable()
      .meta({ description: '`folder` of its metadata, if that is a text of at most 200 characters: the console lists sessions by it.' }),
    usage: usageTotals,
    createdAt: time,
    updatedAt: time,
  })
  .meta({ id: 'SessionListItem' });

export const sessionList = z.strictObject({ data: z.array(sessionListItem), nextCursor: z.string().nullable() }).meta({ id: 'SessionList' });

export const searchResults = z
  .strictObject({
    data: z.array(
      z
        .strictObject({
          sessionId: uuid,
          title: z.string().nullable().meta({ description: 'Title of the session.' }),
          firstText: z.string().nullable().meta({ description: 'Start of the first text of the current conversation, which names a session without a title.' }),
          archived,
          userId: uuid.meta({ description: 'Owner of the session.' }),
          kind: z.enum(['title', 'user', 'assistant']).meta({ description: 'Where it was found.' }),
          uuid: uuid.nullable().meta({ description: 'Uuid of the message; null for a title.' }),
          at: time.meta({ description: 'When the text was recorded.' }),
          snippet: z
            .strictObject({
              text: z.string(),
              highlights: z.array(z.strictObject({ start: z.int(), length: z.int() })).meta({ description: 'What was found, in UTF-16 code units of `text`.' }),
            })
            .meta({ id: 'Snippet' }),
        })
        .meta({ id: 'SearchHit' }),
    ),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'SearchResults' });

/** A list of items of a session, with the version it was read at. */
export function versioned<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ version: z.int(), data: z.array(item) });
}

export function page<Item extends z.ZodType>(item: Item) {
  return versioned(item).extend({ nextCursor: z.string().nullable() });
}
