import { z } from 'zod';

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
      }),
    ),
    problems: z.array(z.strictObject({ path: z.string(), problem: z.string() })).meta({ description: 'What keeps installed skills from being offered.' }),
  })
  .meta({ id: 'Skills' });
