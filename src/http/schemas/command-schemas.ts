import { z } from 'zod';
import { queryFlag } from './json.js';

export const command = z
  .strictObject({
    name: z.string(),
    description: z.string(),
    argumentHint: z.string().nullable(),
    kind: z.enum(['client', 'local', 'prompt']),
    immediate: z.boolean().meta({ description: 'Answered while a turn runs; any other waits its turn.' }),
    bridgeSafe: z.boolean().meta({ description: 'Runs for clients that control the session from afar.' }),
    source: z.enum(['builtin', 'skill', 'command']),
  })
  .meta({ id: 'Command' });

export const commands = z.strictObject({ data: z.array(command) }).meta({ id: 'Commands' });

export const skills = z
  .strictObject({
    data: z.array(
      z.strictObject({
        name: z.string(),
        description: z.string(),
        argumentHint: z.string().nullable(),
        kind: z.enum(['skill', 'command']),
        userInvocable: z.boolean(),
        modelInvocable: z.boolean(),
        enabled: z.boolean().optional().meta({ description: 'Only with `?disabled=true`.' }),
        plugin: z.string().nullable().optional().meta({ description: 'The plugin that brings it. Only with `?disabled=true`.' }),
      }),
    ),
    problems: z.array(z.strictObject({ path: z.string(), problem: z.string() })).meta({ description: 'What keeps installed skills from being offered.' }),
  })
  .meta({ id: 'Skills' });

export const skillsQuery = z.strictObject({
  disabled: queryFlag.optional().meta({ description: 'Whether to list also the skills that the tenant has switched off.' }),
});

export const plugins = z
  .strictObject({
    data: z.array(
      z.strictObject({
        name: z.string(),
        description: z.string(),
        enabled: z.boolean(),
        brings: z.array(z.enum(['hooks', 'mcpServers', 'skills'])).meta({ description: 'What the tenant gets with it.' }),
      }),
    ),
  })
  .meta({ id: 'Plugins' });
