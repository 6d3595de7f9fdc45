import { z } from 'zod';
import type { Json } from '../../../packages/protocol/message/content.js';
import { command } from './command-schemas.js';
import { time, uuid } from './json.js';
import { permissionMode } from './message-schemas.js';
import { usageTotals } from './usage-schemas.js';

const text = z.string().meta({ description: 'The same in words.' });

/** What a client shows for a prompt that was answered without a turn. */
export const display = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('text'), level: z.enum(['notice', 'error']), text: z.string() }).meta({ id: 'TextDisplay' }),
    z.strictObject({ type: z.literal('help'), text, commands: z.array(command) }).meta({ id: 'HelpDisplay' }),
    z
      .strictObject({
        type: z.literal('status'),
        text,
        sessionId: uuid,
        version: z.int(),
        title: z.string().nullable(),
        status: z.string(),
        model: z.string(),
        permissionMode,
        turn: z.strictObject({ turnId: uuid, status: z.string(), startedAt: time.nullable(), requests: z.int() }).nullable(),
        queueLength: z.int(),
        usage: usageTotals,
      })
      .meta({ id: 'StatusDisplay' }),
    z
      .strictObject({
        type: z.literal('config'),
        text,
        settings: z.strictObject({ title: z.string().nullable(), model: z.string(), permissionMode }),
        changed: z.array(z.string()),
      })
      .meta({ id: 'ConfigDisplay' }),
    z
      .strictObject({
        type: z.literal('doctor'),
        text,
        checks: z.record(z.string(), z.enum(['up', 'down'])),
        model: z.string(),
        versions: z.strictObject({ server: z.string(), normalizer: z.string() }),
        gates: z.array(z.string()),
      })
      .meta({ id: 'DoctorDisplay' }),
  ])
  .meta({ id: 'Display', description: 'What the client shows for a prompt that was answered at once, by its `type`.' }) as unknown as z.ZodType<Json, Json>;
