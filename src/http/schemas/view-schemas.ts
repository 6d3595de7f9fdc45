import { z } from 'zod';
import { TRACE_ACTIONS } from '../../../packages/protocol/request/trace-entry.js';
import { GATES } from '../../../packages/protocol/gates.js';
import { dictionary, list } from './bounded.js';
import { json, jsonObject, label, queryFlag, queryInteger, uuid } from './json.js';
import { cacheDiagnostics, inputTransformation, message, payloadBlock } from './message-schemas.js';
import { EFFORTS, THINKING_DISPLAYS, THINKING_TYPES, TOOL_CHOICES } from '../../../packages/protocol/message/model-options.js';
import { changedOptions, modelOptions } from './model-option-schemas.js';
import { clientRequest, clientRequestSummary } from './client-request-schemas.js';
import { pricedRequest } from './prompt-schemas.js';
import { clientTools, versioned } from './session-schemas.js';

export const payloadQuery = z.strictObject({
  model: label(200).optional().meta({ description: 'Model to build the payload for; default: that of the session.' }),
  at: queryInteger(1, 999_999_999_999_999).optional().meta({ description: 'Version of the session to build the payload at; default: the current one.' }),
  fresh: queryFlag.optional().meta({
    description: '`true`: what this release makes of the whole conversation; otherwise the payload begins with what was sent before, as it was sent.',
  }),
});

const cacheControl = z.strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() });

const inputSchema = json.meta({ type: 'object', additionalProperties: true });

const payload = z
  .strictObject({
    model: z.string(),
    max_tokens: z.int(),
    stream: z.literal(true),
    thinking: z.strictObject({ type: z.enum(THINKING_TYPES), budget_tokens: z.int().optional(), display: z.enum(THINKING_DISPLAYS).optional() }).optional(),
    output_config: z.strictObject({ effort: z.enum(EFFORTS) }).optional(),
    tool_choice: z.strictObject({ type: z.enum(TOOL_CHOICES), name: z.string().optional(), disable_parallel_tool_use: z.boolean().optional() }).optional(),
    stop_sequences: z.array(z.string()).optional(),
    fallbacks: z.union([z.literal('default'), z.array(z.strictObject({ model: z.string(), max_tokens: z.int().optional() }))]).optional(),
    diagnostics: z
      .strictObject({ previous_message_id: z.string().nullable() })
      .optional()
      .meta({ description: 'Asks the model API why its prompt cache was missed. Only in requests as they were sent.' }),
    system: z.array(z.strictObject({ type: z.literal('text'), text: z.string(), cache_control: cacheControl.optional() })).optional(),
    messages: z.array(z.strictObject({ role: z.enum(['user', 'assistant', 'system']), content: z.array(payloadBlock) })),
    tools: z
      .array(
        z.union([
          z.strictObject({
            name: z.string(),
            description: z.string().optional(),
            input_schema: inputSchema,
            defer_loading: z.literal(true).optional(),
            cache_control: cacheControl.optional(),
          }),
          z.looseObject({ type: z.string(), name: z.string() }).meta({ description: 'A tool that the model API runs.' }),
        ]),
      )
      .optional(),
  })
  .meta({ id: 'Payload', description: 'The request body as it is sent to the model; `system` and `tools` are absent when empty.' });

const passedPayload = z.looseObject({ messages: z.array(z.looseObject({ role: z.unknown() })) }).meta({
  id: 'PassedPayload',
  description: 'The request body of a client of the Anthropic door, as the client made it: what the model API accepts, in any of its forms.',
});

const source = z.strictObject({ uuid: z.string(), index: z.int() }).meta({ description: 'The original block: its message, and its index there.' });

const traceEntry = z
  .strictObject({
    source: source.nullable().meta({ description: 'The stored block; null: a pass added the block.' }),
    action: z.enum(TRACE_ACTIONS),
    pass: z.string(),
    reason: z.string(),
    target: z.strictObject({ message: z.int(), block: z.int() }).nullable().meta({ description: 'Position in the payload; null: the block is not sent.' }),
  })
  .meta({ id: 'TraceEntry' });

const problem = z
  .strictObject({ rule: z.string(), at: z.string(), text: z.string() })
  .meta({ id: 'PayloadProblem', description: 'A rule of the model API that the payload violates, and where.' });

const cause = z.string().meta({
  description: '`model`, `gates`, `configuration: <what>`, `compaction`, `rewind`, `normalization`, or the name of the pass that treated a block differently.',
});

const prefixBreak = z
  .strictObject({ requestId: z.string(), message: z.int(), cause, source: source.optional() })
  .meta({ id: 'PrefixBreak', description: 'Where the payload stops continuing an earlier request, and the cause.' });

const view = {
  payload,
  digest: z.string().meta({ description: 'SHA-256 of the payload, hexadecimal.' }),
  trace: z.array(traceEntry).meta({ description: 'What happened to each block, by which pass, and why.' }),
  problems: z.array(problem).meta({ description: 'What the model API would reject.' }),
  changedOptions,
  breaks: z.array(prefixBreak).meta({ description: 'Where the payload does not continue earlier requests.' }),
};

export const normalized = z
  .strictObject({
    ...view,
    notes: z
      .array(z.strictObject({ pointer: z.string(), detail: z.string() }))
      .meta({ description: 'What of the messages was read in another form, or ignored, the first 200 of them; first of all, that the model is unknown.' }),
  })
  .meta({ id: 'Normalized' });

export const payloadView = z.strictObject({ version: z.int(), ...view }).meta({ id: 'PayloadView' });

export const requests = versioned(pricedRequest)
  .extend({
    client: z
      .array(clientRequestSummary)
      .meta({ description: 'What the program that wrote an imported file had sent, as it recorded it there, in the order of its lines.' }),
  })
  .meta({ id: 'Requests' });

const receivedThread = z
  .strictObject({
    type: z.enum(['create', 'continue']),
    previous: z.string().nullable().meta({ description: 'The id of the answer that it continues; null: it begins a thread.' }),
    of: uuid
      .nullable()
      .meta({ description: 'The request that this answer has answered. Its conversation and the answer went out before the messages of the client.' }),
    received: z.string().meta({ description: 'The body as the client sent it.' }),
  })
  .meta({
    id: 'ReceivedThread',
    description: 'How a request through the Anthropic door is part of a message thread. It went out with the whole conversation, and without `thread`.',
  });

export const request = pricedRequest
  .extend({
    version: z.int(),
    recordedBy: z.literal('server'),
    gates: z.record(z.string(), z.boolean()).meta({ description: 'The feature gates that the payload was built with.' }),
    original: z.array(message).meta({ description: 'The messages that the payload was made from.' }),
    payload: z
      .union([payload, passedPayload])
      .nullable()
      .meta({ description: 'The body as it was sent, as the log has it. Null: content of it was erased, or there is a fault.' }),
    recordedDigest: z.string(),
    verified: z.boolean().nullable().meta({ description: 'The body has the digest that was recorded when it was sent; null: content of it was erased.' }),
    erased: z.boolean().meta({ description: 'Content of the request was erased since, and with it all that was recorded of its body.' }),
    fault: z.string().nullable().meta({ description: 'Why the body cannot be rebuilt from the log: what is missing, and where. Null: nothing is.' }),
    changedOptions,
    trace: z.array(traceEntry),
    thread: receivedThread.nullable().meta({ description: 'Null: the request is part of no message thread, or content of it was erased.' }),
    betas: z.array(z.string()).readonly().meta({ description: 'Values of the `anthropic-beta` header that it was sent with.' }),
    cacheDiagnostics: cacheDiagnostics.nullable().meta({
      description:
        'Why the model API could not reuse the prompt cache of the request before (`cache_miss_reason`), as it reported it. Null: it reported nothing.',
    }),
    inputTransformations: z.array(inputTransformation).nullable().meta({
      description:
        'Changes that the model API made to the input, such as thinking blocks it dropped (`path`, `reason`), as it reported them. Null: it reported none.',
    }),
    prefix: z
      .strictObject({
        shared: z.int(),
        cause: cause.optional(),
        source: source.optional(),
        lostTokens: z.int().optional().meta({ description: 'Tokens of the previous request that were in the prompt cache and were not read from it.' }),
        lostCost: z.number().nullable().optional().meta({
          description: 'What was paid for them less what reading them from the cache costs, in US dollars by the prices of now; null: the model has no price.',
        }),
      })
      .nullable()
      .meta({
        description:
          'How many leading messages the previous request had already sent; the cause of the difference, its block, and what it cost. Null: one of the two came through the Anthropic door, so they are not compared.',
      }),
  })
  .meta({ id: 'Request' });

export const anyRequest = z.discriminatedUnion('recordedBy', [request, clientRequest]).meta({ id: 'AnyRequest' });

const namedTexts = dictionary(z.string().min(1), z.string(), 'MAX_CONTEXT_TEXTS');

export const normalizeBody = z
  .strictObject({
    messages: list(jsonObject, 'MAX_NORMALIZE_MESSAGES'),
    system: z.string().nullable().optional(),
    tools: clientTools.optional(),
    gates: dictionary(z.string(), z.boolean(), GATES.length).optional(),
    model: label(200).optional(),
    modelOptions: modelOptions.optional().meta({ description: 'Absent: the payload has none, and no `thinking` either.' }),
    userContext: namedTexts.optional(),
    systemContext: namedTexts.optional(),
  })
  .meta({ id: 'Normalize', examples: [{ messages: [{ role: 'user', content: 'What is 2+2?' }] }] });
