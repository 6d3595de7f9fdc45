import { z } from 'zod';
import type { EventData } from '../../../packages/protocol/events/events.js';
import { attachmentSchema } from './attachment-schemas.js';
import { blobSource } from './block-schemas.js';
import { content } from './content.js';
import { json, uuid } from './json.js';
import { modelOptions } from './model-option-schemas.js';

const route = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('prompt') }),
  z.strictObject({ kind: z.literal('bash') }),
  z.strictObject({ kind: z.literal('exit') }),
  z.strictObject({ kind: z.literal('command'), command: z.enum(['client', 'local', 'prompt', 'turn']), name: z.string() }),
  z.strictObject({ kind: z.literal('rejected'), name: z.string(), reason: z.enum(['unknown', 'remote', 'model_only']) }),
]);

const storedPaste = z
  .looseObject({
    type: z.enum(['text', 'image']),
    content: z.string().optional().meta({ description: 'Of a text.' }),
    source: blobSource.optional().meta({ description: 'Of an image: its stored bytes.' }),
    mediaType: z.string().optional(),
    filename: z.string().optional(),
    sourcePath: z.string().optional(),
  })
  .meta({ id: 'StoredPaste' });

export const submission = z
  .looseObject({
    promptId: uuid,
    turnId: uuid,
    uuid: uuid.meta({ description: 'Uuid of the user message.' }),
    mode: z.enum(['prompt', 'bash', 'compact']),
    original: content.meta({ description: 'As it was sent; images and documents are stored blobs.' }),
    value: content.optional().meta({ description: 'Trimmed, with paste references expanded; absent when it equals `original`.' }),
    pastedContents: z.record(z.string(), storedPaste).optional().meta({ description: 'By the number that the text refers to.' }),
    attachments: z.array(attachmentSchema).optional(),
    skipSlashCommands: z.boolean().optional(),
    bridgeOrigin: z.boolean().optional(),
    route: route.optional(),
    origin: json.optional(),
    timeZone: z.string().optional(),
    modelOptions: modelOptions.optional(),
    workload: z.string().optional(),
    traceparent: z.string().optional(),
  })
  .meta({ id: 'Submission' }) as unknown as z.ZodType<EventData['prompt.submitted']['submission']>;
