import { z } from 'zod';
import { contentBlock } from './block-schemas.js';
import { json, time, uuid } from './json.js';
import { openUnion } from './open-union.js';

export const presenceState = z.enum(['reading', 'typing', 'left']);

const described = <Shape extends z.ZodRawShape>(description: string, shape: Shape) => z.strictObject(shape).meta({ description });

/** The deltas of the model API (source: Streaming Messages). */
const delta = openUnion(
  [
    z.looseObject({ type: z.literal('text_delta'), text: z.string() }).meta({ id: 'TextDelta' }),
    z.looseObject({ type: z.literal('thinking_delta'), thinking: z.string() }).meta({ id: 'ThinkingDelta' }),
    z.looseObject({ type: z.literal('signature_delta'), signature: z.string() }).meta({ id: 'SignatureDelta' }),
    z
      .looseObject({ type: z.literal('input_json_delta'), partial_json: z.string() })
      .meta({ id: 'InputJsonDelta', description: 'A part of the JSON text of the arguments of a tool call.' }),
    z.looseObject({ type: z.literal('citations_delta'), citation: json }).meta({ id: 'CitationsDelta' }),
  ] as never,
  'OtherDelta',
).meta({ id: 'BlockDelta', description: 'What is appended to a content block, by its `type`.' });

const progress = openUnion(
  [
    z
      .looseObject({
        type: z.literal('bash'),
        output: z.string().meta({ description: 'The end of the output.' }),
        characters: z.int().meta({ description: 'Length of the output so far.' }),
        elapsedMs: z.int(),
      })
      .meta({ id: 'BashProgress' }),
    z
      .looseObject({ type: z.literal('mcp'), progress: z.number(), total: z.number().optional(), message: z.string().optional() })
      .meta({ id: 'McpProgress', description: 'As the MCP server reported it.' }),
  ] as never,
  'OtherProgress',
).meta({ id: 'ToolProgress', description: 'Progress by its `type`.' });

/** The `data` of each event that is streamed and not stored. */
export const LIVE_EVENT_DATA = {
  synced: described('The replay is complete; what follows is live.', { version: z.int() }),
  'message.delta': described('A delta of an answer that is still streaming, in the form of the model API. `message.appended` replaces it.', {
    turnId: uuid,
    requestId: uuid,
    index: z.int().meta({ description: 'Index of the content block.' }),
    start: contentBlock.optional().meta({
      description:
        'The block as far as it is written: with its first delta, and once more when a reader has joined in the middle of the answer. Ignore an event with it for a block that you have.',
    }),
    delta: delta.optional(),
    purpose: z.literal('compaction').optional().meta({ description: 'The answer is a summary, not part of the transcript.' }),
  }),
  'tool.progress': described('Progress of a running tool call.', { turnId: uuid, toolUseId: z.string(), name: z.string(), data: progress }),
  'queue.changed': described('The queue changed. Reload the queue.', {
    promptId: uuid,
    change: z.enum(['prompt.queued', 'prompt.withdrawn', 'turn.started']),
  }),
  presence: described('A user says that they read the session, or write in it. Counts until `expiresAt`, or until the next one of the same user.', {
    userId: uuid,
    name: z.string(),
    state: presenceState,
    expiresAt: time,
  }),
} as const;
