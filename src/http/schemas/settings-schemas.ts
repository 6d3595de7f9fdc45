import { z } from 'zod';
import { GATES } from '../../core/gates.js';
import { json } from './json.js';
import { permissionRules } from './session-schemas.js';

const NAME_LENGTH = 200;
const MOST_ENTRIES = 500;
const MOST_HEADERS = 20;

const few = (what: object): boolean => Object.keys(what).length <= MOST_ENTRIES;
const tooMany = `must not hold more than ${MOST_ENTRIES}`;

const gates = z
  .strictObject(Object.fromEntries(GATES.map((name) => [name, z.boolean().optional()])))
  .meta({ description: 'On or off, by name; a gate that is left out is as the deployment has it.' });

const hooks = z.record(z.string(), json).meta({
  description: 'As `hooks` in the public settings of Claude Code: by event, groups of `{matcher?, hooks: [{type: "http", url, headers?, timeout?}]}`.',
  examples: [
    {
      PreToolUse: [
        { matcher: 'Bash|mcp__.*', hooks: [{ type: 'http', url: 'https://hooks.example.com/tools', headers: { authorization: 'Bearer …' }, timeout: 5 }] },
      ],
    },
  ],
});

const skills = z.record(z.string().min(1).max(NAME_LENGTH), z.boolean()).refine(few, tooMany).meta({ description: 'On or off, by name.' });

const plugins = z
  .record(z.string().min(1).max(NAME_LENGTH), z.boolean())
  .refine(few, tooMany)
  .meta({ description: 'Installed plugins on or off, by name; off when left out.' });

const header = z
  .string()
  .max(4_096)
  .regex(/^[^\r\n\0]*$/, 'must be one line');

const address = z
  .string()
  .max(2_048)
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), 'must be an address that begins with https:// or http://')
  .refine((text) => !URL.canParse(text) || (new URL(text).username === '' && new URL(text).password === ''), 'must not hold a user or password; send a header');

const mcpServers = z
  .record(
    z.string().regex(/^(?!.*__)[A-Za-z0-9_-]{1,64}$/, 'may hold 1 to 64 letters, digits, - and single _'),
    z.strictObject({
      url: address,
      headers: z
        .record(z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, 'is not the name of a header'), header)
        .refine((headers) => Object.keys(headers).length <= MOST_HEADERS, `must not hold more than ${MOST_HEADERS}`)
        .optional(),
    }),
  )
  .refine(few, tooMany)
  .meta({ description: 'Tool servers by name. The values of headers are written, and never shown again.' });

const instructions = z.string().nullable().meta({ description: 'Told to the model in every session.' });

export const settingsBody = z
  .strictObject({
    gates: gates.optional(),
    hooks: hooks.optional(),
    skills: skills.optional(),
    plugins: plugins.optional(),
    mcpServers: mcpServers.optional(),
    instructions: instructions.optional(),
    permissions: permissionRules.optional(),
  })
  .meta({ id: 'NewSettings', examples: [{ gates: { 'history-snip': true }, permissions: { deny: ['Bash(rm *)'] } }] });

export const settings = z
  .strictObject({
    gates,
    hooks,
    hookSecret: z
      .string()
      .nullable()
      .meta({ description: 'What calls of the hooks are signed with. Shown in the answer that made it; hidden from then on; null as long as there is none.' }),
    skills,
    plugins,
    mcpServers,
    instructions,
    permissions: permissionRules,
  })
  .meta({ id: 'Settings' });

export const hookSecret = z.strictObject({ hookSecret: z.string() }).meta({ id: 'HookSecret' });
