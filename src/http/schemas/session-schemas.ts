import { z } from 'zod';
import { ruleFault } from '../../core/permissions/rule.js';
import { toolProblem } from '../../core/api-rules/tool-problem.js';
import { dictionary, list } from './bounded.js';
import { jsonObject, label, LABEL_LENGTH, queryInteger, time, uuid } from './json.js';
import { permissionMode } from './message-schemas.js';
import { usageTotals } from './usage-schemas.js';
import type { ClientTool } from '../../core/message/tool-definition.js';

const clientTool = z
  .strictObject({
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/, 'must be 1 to 128 letters, digits, _ or -'),
    description: z.string().optional(),
    input_schema: jsonObject,
  })
  .meta({ id: 'ClientTool', description: "A tool that the client runs. The shape is the model API's." });

/** Maximum numbers of client tools, and of named texts in each of `context` and `systemContext`. */
const MAX_TOOLS = 1_000;
const MAX_NAMED_TEXTS = 1_000;

export const clientTools = list(clientTool, MAX_TOOLS).superRefine((tools, context) => {
  const seen = new Set<string>();
  tools.forEach(({ name }, index) => {
    if (seen.has(name)) context.addIssue({ code: 'custom', path: [index, 'name'], message: 'is the name of another tool in the list' });
    seen.add(name);
  });
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

/** Maximum length of a rule, in UTF-16 code units, and number of rules in a list. */
const RULE_LENGTH = 1_000;
const MAX_RULES = 1_000;

const rule = z
  .string()
  .max(RULE_LENGTH)
  .superRefine((text, context) => {
    const fault = ruleFault(text);
    if (fault !== null) context.addIssue({ code: 'custom', message: fault });
  });

const ruleList = list(rule, MAX_RULES);

export const permissionRules = z
  .strictObject({ allow: ruleList.optional(), deny: ruleList.optional(), ask: ruleList.optional() })
  .meta({ id: 'PermissionRules', description: "Which calls of the server's tools are allowed, are denied, or need a decision. Replaced as a whole." });

const namedTexts = dictionary(z.string().min(1), z.string(), MAX_NAMED_TEXTS);

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

export const sessionSettings = z
  .strictObject({ title: label(LABEL_LENGTH).nullable(), ...settings, autoCompact })
  .partial()
  .meta({
    id: 'SessionSettings',
    examples: [{ title: 'Sums', system: 'Answer briefly.', tools: [{ name: 'add', description: 'Adds numbers', input_schema: { type: 'object' } }] }],
  });

export const reasonBody = z.strictObject({ reason: z.string().nullable().optional() }).meta({ id: 'Reason', examples: [{ reason: 'done' }] });

export const noBody = z.strictObject({}).meta({ id: 'Nothing', examples: [{}] });

export const listQuery = z.strictObject({
  limit: queryInteger(1, 200).optional().meta({ description: 'Maximum number of items in the page.' }),
  cursor: z.string().min(1).max(1_000).optional().meta({ description: '`nextCursor` of the previous page.' }),
});

const status = z.enum(['idle', 'running', 'waiting', 'closed']);

export const session = z
  .strictObject({
    id: uuid,
    version: z.int().meta({ description: 'Sequence number of the last event.' }),
    status,
    title: z.string().nullable(),
    ...settings,
    autoCompact: autoCompact.optional(),
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
  })
  .meta({ id: 'Session' });

export const sessionList = z
  .strictObject({
    data: z.array(
      z.strictObject({
        id: uuid,
        userId: z.string(),
        title: z.string().nullable(),
        model: z.string(),
        status,
        queueLength: z.int(),
        turnId: uuid.nullable(),
        createdAt: time,
        updatedAt: time,
      }),
    ),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'SessionList' });

/** A list of items of a session, with the version it was read at. */
export function versioned<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ version: z.int(), data: z.array(item) });
}

export function page<Item extends z.ZodType>(item: Item) {
  return versioned(item).extend({ nextCursor: z.string().nullable() });
}
