import { z } from 'zod';
import type { ContentBlock, Json } from '../../../packages/protocol/message/content.js';
import type { Draft } from '../../../packages/protocol/message/draft.js';
import {
  type CompactMetadata,
  type Message,
  type ModelMessage,
  permissionMode as permissionModeShape,
  type StoredMessage,
} from '../../../packages/protocol/message/message.js';
import { attachmentSchema } from './attachment-schemas.js';
import { contentBlock } from './block-schemas.js';
import { content } from './content.js';
import { json, time, uuid } from './json.js';
import { schemaOf } from './schema-of-shape.js';

/**
 * The messages of responses and events. Their members are documented and checked; further members are allowed, because an imported file keeps those that have no
 * meaning here.
 */

export const permissionMode = schemaOf(permissionModeShape);

const usage = z
  .looseObject({
    input_tokens: z.number().optional(),
    output_tokens: z.number().optional(),
    cache_creation_input_tokens: z.number().nullable().optional(),
    cache_read_input_tokens: z.number().nullable().optional(),
  })
  .meta({ id: 'ModelUsage', description: 'Token counts as the model API reports them.' });

export const modelUsage = usage as unknown as z.ZodType<NonNullable<ModelMessage['usage']>>;

const author = z
  .strictObject({ kind: z.enum(['user', 'model', 'system']), id: z.string().optional() })
  .meta({ id: 'Author', description: 'Who wrote a message. `id`: the user (`user`) or the model (`model`); `system`: the server, a tool or a hook.' });

/** Members of every message. */
const entry = {
  uuid,
  parentUuid: uuid.nullable().meta({ description: 'The previous message on its branch; null for the first.' }),
  timestamp: time,
  by: author.optional().meta({ description: 'Only in the transcript.' }),
  erased: z.literal(true).optional().meta({ description: 'Its content was erased.' }),
};

const userMessage = z
  .looseObject({
    type: z.literal('user'),
    ...entry,
    content,
    isMeta: z.boolean().optional().meta({ description: 'Sent to the model; the transcript shows only its tool results, without this member.' }),
    isVirtual: z.boolean().optional().meta({ description: 'Part of the transcript, never sent to the model.' }),
    origin: json.optional().meta({ description: 'Where it came from; null or absent: typed by a person.' }),
    permissionMode: permissionMode.optional(),
    toolUseResult: json.optional().meta({ description: 'Structured output of the tool; the model is sent `content`.' }),
    speaker: z.string().optional().meta({ description: 'The name of the user who wrote it, as the model is told.' }),
    rewrittenFrom: z.string().optional().meta({ description: 'The text before a hook rewrote it.' }),
    imagePasteIds: z
      .array(z.int())
      .readonly()
      .optional()
      .meta({ description: 'Paste numbers of its last images, in order; of a split part, the number of its own image.' }),
    describes: z
      .array(z.strictObject({ uuid, index: z.int(), inner: z.int().optional() }).nullable())
      .readonly()
      .optional()
      .meta({
        description:
          'For each block of this message, the image that it describes: message and index of the block, and in a tool result the index in its content; null: none.',
      }),
    isCompactSummary: z.boolean().optional(),
    isInterruption: z.boolean().optional().meta({ description: 'The note that a user interrupted the turn.' }),
  })
  .meta({ id: 'UserMessage', description: 'A prompt, a tool result, or context for the model.' });

const modelMessage = z
  .looseObject({
    id: z.string(),
    role: z.literal('assistant'),
    model: z.string(),
    content: z.array(contentBlock),
    stop_reason: z.string().nullable().meta({ description: 'null: the answer was interrupted.' }),
    usage: usage.optional(),
  })
  .meta({ id: 'ModelMessage', description: 'A message of the model, as the API returned it.' });

const apiError = z.union([
  z.enum(['pdf_too_large', 'pdf_password_protected', 'pdf_invalid', 'image_too_large', 'request_too_large']),
  z.strictObject({ type: z.literal('block_rejected'), blockUuid: z.string(), index: z.int(), inner: z.int().optional() }),
]);

const withdraws = z
  .array(z.string())
  .readonly()
  .optional()
  .meta({ description: 'Uuids of messages that are left out of later requests: those of a refused turn, or those whose place this answer took.' });

const assistantMessage = z
  .looseObject({
    type: z.literal('assistant'),
    ...entry,
    message: modelMessage,
    requestId: uuid.optional().meta({ description: 'The model request that it answers.' }),
    isVirtual: z.boolean().optional(),
    isApiErrorMessage: z.boolean().optional().meta({ description: 'A stored error of the provider; never sent to the model.' }),
    apiError: apiError.nullable().optional(),
    withdraws,
  })
  .meta({ id: 'AssistantMessage', description: 'An answer of the model.' });

const attachmentMessage = z
  .looseObject({
    type: z.literal('attachment'),
    ...entry,
    attachment: attachmentSchema,
    standing: z.string().optional().meta({ description: 'Standing context, which every request contains: the name of its source.' }),
    inPlace: z.boolean().optional().meta({ description: 'Everything before it was sent by an earlier request, so it stays behind that.' }),
  })
  .meta({ id: 'AttachmentMessage', description: 'Context that the client, the server or a hook attached.' });

const compactMetadata = z
  .looseObject({
    trigger: z.enum(['manual', 'auto']),
    preTokens: z.number().nullable(),
    compactionId: uuid,
    keptFrom: uuid.nullable(),
    kept: z.array(uuid),
    keptAfter: uuid,
    omitted: z.int(),
  })
  .partial()
  .meta({ description: 'What a compaction did. An imported boundary may have only some of the members.' }) as unknown as z.ZodType<CompactMetadata>;

const systemMessage = z
  .looseObject({
    type: z.literal('system'),
    ...entry,
    subtype: z.string().meta({ description: '`local_command` reaches the model as user content; every other subtype is for readers only.' }),
    level: z.enum(['info', 'warning', 'error']).optional(),
    content: z.string(),
    durationMs: z.number().optional().meta({ description: 'Of a `turn_duration`: milliseconds from the start to the end of the turn.' }),
    compactMetadata: compactMetadata.optional(),
    withdraws,
  })
  .meta({ id: 'SystemMessage', description: 'A note of the server.' });

const tombstoneMessage = z
  .looseObject({
    type: z.literal('tombstone'),
    ...entry,
    removed: z.array(uuid).readonly(),
    cause: z.literal('compaction').optional().meta({ description: 'Absent: a rewind.' }),
  })
  .meta({ id: 'TombstoneMessage', description: 'Stands for messages that a rewind or a compaction removed.' });

const toolUseSummaryMessage = z
  .looseObject({ type: z.literal('tool_use_summary'), ...entry, summary: z.string(), toolUseIds: z.array(z.string()).readonly() })
  .meta({ id: 'ToolUseSummaryMessage', description: 'A summary of a sequence of tool calls, for readers.' });

const stored = [userMessage, assistantMessage, attachmentMessage, systemMessage, tombstoneMessage, toolUseSummaryMessage] as const;

/** A message of the log. */
export const storedMessage = z.discriminatedUnion('type', stored).meta({ id: 'Message', description: 'A message, by its `type`.' }) as unknown as z.ZodType<
  StoredMessage,
  StoredMessage
>;

/** A message of a list, which a client may also receive before it is stored. */
export const message = storedMessage as unknown as z.ZodType<Message, Message>;

/** A message before it has a parent. */
export const draft = z
  .discriminatedUnion('type', [
    userMessage.omit({ parentUuid: true }).meta({ id: 'UserMessageDraft' }),
    assistantMessage.omit({ parentUuid: true }).meta({ id: 'AssistantMessageDraft' }),
    attachmentMessage.omit({ parentUuid: true }).meta({ id: 'AttachmentMessageDraft' }),
    systemMessage.omit({ parentUuid: true }).meta({ id: 'SystemMessageDraft' }),
    tombstoneMessage.omit({ parentUuid: true }).meta({ id: 'TombstoneMessageDraft' }),
    toolUseSummaryMessage.omit({ parentUuid: true }).meta({ id: 'ToolUseSummaryMessageDraft' }),
  ])
  .meta({
    id: 'MessageDraft',
    description: 'A message without `parentUuid`: it is appended later, when the calls before it have completed.',
  }) as unknown as z.ZodType<Draft, Draft>;

/** A content block as it is sent to the model. */
export const payloadBlock = contentBlock as unknown as z.ZodType<ContentBlock, ContentBlock>;

/** Why the model API could not reuse its prompt cache. */
export const cacheDiagnostics = z
  .looseObject({
    cache_miss_reason: z.looseObject({ type: z.string(), cache_missed_input_tokens: z.number().optional() }).nullable().optional(),
  })
  .meta({
    id: 'CacheDiagnostics',
    description: 'As the model API reported it. `cache_miss_reason` null: the comparison was not complete.',
  }) as unknown as z.ZodType<Json, Json>;

/** A change that the model API made to the input. */
export const inputTransformation = z
  .looseObject({ type: z.string().optional(), path: z.string().optional(), reason: z.string().optional() })
  .meta({ id: 'InputTransformation', description: 'As the model API reported it, such as a thinking block that it dropped.' }) as unknown as z.ZodType<
  Json,
  Json
>;
