import { z } from 'zod';
import { uuid } from './json.js';
import { message } from './message-schemas.js';
import { changedOptions } from './model-option-schemas.js';

const prefix = z
  .strictObject({
    system: z.string(),
    tools: z.string(),
    messages: z.array(z.string()).readonly(),
    tail: z.array(z.array(z.string()).readonly()).readonly(),
    shared: z.int(),
    at: z.array(z.int()).readonly().optional(),
  })
  .meta({
    description:
      'First halves of SHA-256 digests of the parts of the request, hexadecimal; of the messages, those from `shared` on, or, when these are many, those at the positions `at`.',
  });

const continued = <Item extends z.ZodType>(item: Item) => z.strictObject({ keep: z.int(), added: z.array(item).readonly() });

const sentBlock = z
  .union([
    z.string(),
    z.strictObject({ text: z.array(z.union([z.string(), z.strictObject({ file: z.string() })])).readonly() }),
    z.strictObject({ of: z.array(z.int()).readonly(), without: z.array(z.string()).readonly().optional() }),
  ])
  .meta({
    id: 'SentBlock',
    description:
      'A block of a request: its JSON; its JSON in pieces, with files (by their SHA-256) as base64 between them; or a reference `of: [message, block]` to a stored block of the conversation, of which the members in `without` are not sent.',
  });

const body = z
  .strictObject({
    base: z.string().nullable().meta({ description: 'The earlier request of the session that this one continues; null: it stands for itself.' }),
    conversation: continued(z.union([z.string(), message])).meta({
      description:
        'What it was made from, oldest first: as many messages as `keep` says are those of the base, then uuids of stored messages, and messages that are not stored.',
    }),
    messages: continued(z.strictObject({ role: z.enum(['user', 'assistant']), content: z.array(sentBlock).readonly() })),
    options: z.string().meta({ description: 'The members before the system prompt as JSON, without the brace at the end.' }),
    system: z.string().optional().meta({ description: 'The text of the system prompt; absent: that of the base.' }),
    tools: z.string().optional().meta({ description: 'The tools as JSON; absent: those of the base.' }),
    markers: z
      .strictObject({ marker: z.string(), system: z.boolean(), tools: z.int().nullable(), messages: z.array(z.int()).readonly() })
      .nullable()
      .meta({
        description:
          'Markers for the prompt cache of the provider: whether the system prompt has one, where in the text of the tools it stands, and which messages have one in their last block.',
      }),
    trace: z
      .strictObject({
        from: z.int(),
        notes: z
          .array(
            z.strictObject({
              action: z.enum(['kept', 'changed', 'moved', 'merged', 'dropped', 'added']),
              pass: z.string(),
              reason: z.string(),
              blocks: z.array(z.array(z.int().nullable()).readonly()).readonly(),
            }),
          )
          .readonly(),
      })
      .meta({
        description:
          'What the passes did, as it was decided: blocks by message and block in the conversation, and message and block in the request. Of the messages before `from`, the notes of the base count. A block that is referred to and has no note was kept.',
      }),
    changedOptions: changedOptions.readonly().optional(),
  })
  .meta({ id: 'SentBody', description: 'The body of a request as it was sent, by reference to stored messages where it can be.' });

/** Data of `request.sent`. */
export const sentRequest = z.strictObject({
  requestId: uuid,
  turnId: uuid,
  ordinal: z.int().meta({ description: 'Counts the requests of a turn from 1.' }),
  at: z.int().meta({ description: 'The version of the session that the payload was made from.' }),
  model: z.string(),
  profile: z.string(),
  gates: z.record(z.string(), z.boolean()).meta({ description: 'The feature gates that were on.' }),
  betas: z.array(z.string()).readonly().optional().meta({ description: 'Values of the `anthropic-beta` header; absent: none.' }),
  normalizer: z.string(),
  maxTokens: z.int(),
  digest: z.string().meta({ description: 'SHA-256 of the request body, hexadecimal.' }),
  bytes: z.int(),
  prefix,
  purpose: z.literal('compaction').optional(),
  compaction: z
    .strictObject({
      trigger: z.enum(['manual', 'auto']),
      instructions: z.string().nullable(),
      keptFrom: uuid.nullable(),
      from: uuid.nullable(),
      to: uuid.nullable(),
      omitted: z.int(),
      preTokens: z.number().nullable(),
    })
    .optional(),
  body: body.nullable().meta({ description: 'Null: erased.' }),
});
