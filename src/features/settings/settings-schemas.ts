import { z } from 'zod';
import { GATES } from '../../../packages/protocol/gates.js';
import { toolEffect } from '../../http/schemas/account-schemas.js';
import { dictionary } from '../../http/schemas/bounded.js';
import { json, label, queryInteger, time, uuid } from '../../http/schemas/json.js';
import { HIDDEN } from '../../session/tenants/hidden-values.js';
import { permissionRules, retentionDays } from '../../http/schemas/session-schemas.js';

const NAME_LENGTH = 200;
/** Maximum number of headers of an MCP server. */
const MAX_HEADERS = 20;

const gates = z
  .strictObject(Object.fromEntries(GATES.map((name) => [name, z.boolean().optional()])))
  .meta({ description: 'On or off, by name; an absent gate keeps the value of the deployment.' });

const hooks = dictionary(z.string(), json, 'MAX_SETTINGS_ENTRIES').meta({
  description: 'As `hooks` in the public settings of Claude Code: by event, groups of `{matcher?, hooks: [{type: "http", url, headers?, timeout?}]}`.',
  examples: [
    {
      PreToolUse: [
        { matcher: 'Bash|mcp__.*', hooks: [{ type: 'http', url: 'https://hooks.example.com/tools', headers: { authorization: 'Bearer …' }, timeout: 5 }] },
      ],
    },
  ],
});

const skills = dictionary(z.string().min(1).max(NAME_LENGTH), z.boolean(), 'MAX_SETTINGS_ENTRIES').meta({ description: 'On or off, by name.' });

const plugins = dictionary(z.string().min(1).max(NAME_LENGTH), z.boolean(), 'MAX_SETTINGS_ENTRIES').meta({
  description: 'Installed plugins, on or off, by name; off when absent.',
});

const header = z
  .string()
  .max(4_096)
  .regex(/^[^\r\n\0]*$/, 'must be one line');

const address = z
  .string()
  .max(2_048)
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), 'must be a URL that begins with https:// or http://')
  .refine(
    (text) => !URL.canParse(text) || (new URL(text).username === '' && new URL(text).password === ''),
    'must not contain a user or password; send a header',
  );

const headers = dictionary(z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'is not a valid header name'), header, MAX_HEADERS);

const serverName = z.string().regex(/^(?!.*__)[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, - and single _');

const server = z.strictObject({ url: address, headers: headers.optional() });

const mcpServers = dictionary(serverName, server, 'MAX_SETTINGS_ENTRIES').meta({ description: 'MCP servers by name. The values of headers are write-only.' });

const instructions = z.string().nullable().meta({ description: 'Instructions for the model, in every session of the tenant.' });

const bypassPermissions = z
  .boolean()
  .meta({ description: 'Whether sessions can use the permission mode `bypassPermissions`; false: their calls are decided as in mode `default`.' });

const memory = z.boolean().meta({
  description:
    'Whether the model has the tool `memory`, which keeps files for each user across their own sessions. Switched off again, the files stay and are not read.',
});

/** Maximum lengths of the texts of an agent, in UTF-16 code units, and of its list of tools. */
const [AGENT_DESCRIPTION, AGENT_PROMPT, AGENT_TOOLS] = [1_000, 100_000, 200];

const agents = dictionary(
  z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, 'must be 1 to 64 letters, digits, - and _'),
  z.strictObject({
    description: label(AGENT_DESCRIPTION).meta({ description: 'What it is for; told to the model.' }),
    prompt: label(AGENT_PROMPT).meta({ description: 'The system prompt of the helper.' }),
    tools: z.array(label(NAME_LENGTH)).max(AGENT_TOOLS).optional().meta({ description: 'Of the tools of its parent; absent: all of them.' }),
    model: label(NAME_LENGTH).optional().meta({ description: 'Absent: the model of its parent.' }),
  }),
  'MAX_SETTINGS_ENTRIES',
).meta({ description: 'Agents by name: how helpers work that the model asks for by `agent`. They need `Agent` in TOOLS of the server.' });

const quota = z.number().min(0).max(Number.MAX_SAFE_INTEGER);
const daily = {
  promptsPerDay: quota.int().optional(),
  tokensPerDay: quota.int().optional().meta({ description: 'Input, output, and what is written to the prompt cache.' }),
  dollarsPerDay: quota.optional().meta({ description: 'By the prices of the deployment.' }),
};
const dailyLimits = z.strictObject(daily);
const limits = z.strictObject({
  ...daily,
  sessions: quota.int().optional().meta({ description: 'Sessions that are not erased.' }),
  storageBytes: quota.int().optional().meta({ description: 'Bytes of images and documents.' }),
});

const quotas = z
  .strictObject({
    tenant: limits.optional().meta({ description: 'Of the tenant as a whole.' }),
    user: limits.optional().meta({ description: 'Of each user.' }),
    users: dictionary(uuid, limits, 'MAX_SETTINGS_ENTRIES').optional().meta({ description: 'Of single users by id, instead of `user`.' }),
    tokens: dictionary(uuid, dailyLimits, 'MAX_SETTINGS_ENTRIES').optional().meta({ description: 'Of single tokens by id, besides those of their user.' }),
    session: dailyLimits.optional().meta({ description: 'Of each session.' }),
    sessions: dictionary(uuid, dailyLimits, 'MAX_SETTINGS_ENTRIES').optional().meta({ description: 'Of single sessions by id, instead of `session`.' }),
  })
  .meta({ id: 'Quotas', description: 'Limits on use; an absent one is none. A day begins at midnight UTC.' });

const modelNames = z.array(
  z
    .string()
    .max(200)
    .regex(/^[^*]*\*?$/)
    .meta({ description: 'A name, or the beginning of names followed by `*`.', example: 'claude-haiku-*' }),
);

const models = z
  .strictObject({
    tenant: modelNames.max(200).optional().meta({ description: 'Of the tenant as a whole.' }),
    user: modelNames.max(200).optional().meta({ description: 'Of each user.' }),
    users: dictionary(uuid, modelNames.max(200), 'MAX_SETTINGS_ENTRIES').optional().meta({ description: 'Of single users by id, instead of `user`.' }),
    tokens: dictionary(uuid, modelNames.max(200), 'MAX_SETTINGS_ENTRIES')
      .optional()
      .meta({ description: 'Of single tokens by id, besides the list of their user.' }),
  })
  .meta({
    id: 'ModelAccess',
    description: 'Models that may be asked; an absent list is all, an empty one none. The tenant, the user and the token must each have a model.',
  });

/** Of one line: it is a header. */
const upstreamKey = z
  .string()
  .min(1)
  .max(1_000)
  .regex(new RegExp(`^(?:[\\x21-\\x7e]+|${HIDDEN})$`), 'must be printable characters without spaces')
  .nullable()
  .meta({
    description:
      'Key for the model API that requests of the tenant go out with; null: that of the deployment. Write-only. The server must have `ENCRYPTION=on`, and ask a model API.',
  });

export const settingsBody = z
  .strictObject({
    gates: gates.optional(),
    hooks: hooks.optional(),
    skills: skills.optional(),
    plugins: plugins.optional(),
    mcpServers: mcpServers.optional(),
    instructions: instructions.optional(),
    permissions: permissionRules.optional(),
    bypassPermissions: bypassPermissions.optional(),
    memory: memory.optional(),
    agents: agents.optional(),
    quotas: quotas.optional(),
    models: models.optional(),
    upstreamKey: upstreamKey.optional(),
    retentionDays: retentionDays.optional(),
  })
  .meta({ id: 'NewSettings', examples: [{ gates: { 'history-snip': true }, permissions: { deny: ['Bash(rm *)'] } }] });

export const settings = z
  .strictObject({
    gates,
    hooks,
    hookSecret: z
      .string()
      .nullable()
      .meta({ description: 'Key that signs the calls of http hooks. Shown in the response that created it, hidden afterwards; null when there is none.' }),
    skills,
    plugins,
    mcpServers,
    instructions,
    permissions: permissionRules,
    bypassPermissions,
    memory,
    agents,
    quotas,
    models,
    upstreamKey,
    retentionDays,
    version: z.int().min(0).meta({ description: 'Counts the changes of the settings, and is their entity tag.' }),
  })
  .meta({ id: 'Settings' });

export const changesQuery = z.strictObject({
  limit: queryInteger(1, 100).optional().meta({ description: 'Maximum number of items in the page.' }),
  cursor: queryInteger(1, Number.MAX_SAFE_INTEGER).optional().meta({ description: '`nextCursor` of the previous page.' }),
});

export const changes = z
  .strictObject({
    data: z.array(
      z
        .strictObject({
          version: z.int().meta({ description: 'Of the settings, after the change.' }),
          changedAt: time,
          changedBy: uuid.nullable().meta({ description: 'The user; null: the server.' }),
          sections: z.array(z.string()).meta({ description: 'Members of the settings that were changed.' }),
        })
        .meta({ id: 'SettingsChange' }),
    ),
    nextCursor: z.string().nullable(),
  })
  .meta({ id: 'SettingsChanges' });

export const hookSecret = z.strictObject({ hookSecret: z.string() }).meta({ id: 'HookSecret' });

export const mcpTestBody = server
  .extend({
    name: serverName.meta({ description: 'As in `mcpServers`; of a stored server with the same URL, hidden values of headers are those that are stored.' }),
  })
  .meta({ id: 'McpTest', examples: [{ name: 'tracker', url: 'https://mcp.example.com/mcp', headers: { Authorization: 'Bearer …' } }] });

export const mcpTest = z
  .strictObject({
    tools: z.array(z.strictObject({ name: z.string().meta({ description: 'As the model would call it.' }), description: z.string(), effect: toolEffect })),
    problems: z.array(z.string()).meta({ description: 'Why the server, or a tool of it, cannot be used.' }),
  })
  .meta({ id: 'McpTestResult' });
