import { z } from 'zod';
import { json, jsonObject, uuid } from './json.js';
import { message } from './message-schemas.js';

const lineNumber = z.int().meta({ description: 'Of the imported file.' });

export const clientRequestSummary = z
  .strictObject({
    requestId: uuid,
    recordedBy: z.literal('client'),
    clientId: z.string().nullable().meta({ description: 'Its id in the file. This and the next three: null for those who may not read the session.' }),
    model: z.string().nullable(),
    sentAt: z.string().nullable(),
    querySource: z.string().nullable().meta({ description: 'What the program says that the request was for.' }),
    seq: z.int(),
    line: lineNumber,
    erased: z.boolean(),
  })
  .meta({ id: 'ClientRequestSummary', description: 'A request that the program which wrote an imported file had sent, and recorded there.' });

const hash = z.string().nullable().meta({ description: 'SHA-256 of the canonical form, hexadecimal; null: in a form that is not known.' });

const part = z
  .strictObject({
    hash,
    namedAt: lineNumber,
    from: z.enum(['file', 'transcript']).nullable().meta({ description: 'Where it was found: on a line of the file, or in stored messages; null: nowhere.' }),
    line: lineNumber.nullable(),
    uuids: z.array(z.string()),
  })
  .meta({ id: 'ClientRequestPart', description: 'A message of the request.' });

export const clientRequest = clientRequestSummary
  .extend({
    version: z.int(),
    base: z.string().nullable().meta({ description: 'The request that it continues, by its id in the file.' }),
    keep: z.int().meta({ description: 'How many messages of that one it begins with.' }),
    parameters: jsonObject.meta({ description: 'As the file has them; nothing proves them.' }),
    betas: z.array(z.string()),
    markers: z
      .array(z.strictObject({ path: json, value: json, isPlaced: z.boolean() }))
      .meta({ description: 'Cache markers as the file has them; nothing proves them. `isPlaced`: the payload has it.' }),
    recordedDigest: z.string().nullable().meta({ description: 'A digest of the whole request by a formula of the program; it is not compared.' }),
    original: z.array(message).meta({ description: 'The stored messages in which its messages were found.' }),
    parts: z.array(part),
    shape: z.strictObject({ hash, line: lineNumber.nullable() }).meta({ description: 'System prompt and tools; `line` null: they were not found.' }),
    payload: jsonObject.nullable().meta({ description: 'Parameters, system prompt, tools and messages. Null: something of it was erased or not found.' }),
    proof: z.literal('canonical').meta({
      description:
        'What `verified` is about: each message, and system prompt and tools, have the recorded hash in their canonical form (sorted keys, text as one block, no cache markers). The bytes that were sent are not known.',
    }),
    verified: z.boolean().nullable().meta({ description: 'All of them have it; null: erased.' }),
    fault: z.string().nullable().meta({ description: 'What was not found, and where it is named. Null: nothing is missing.' }),
  })
  .meta({ id: 'ClientRequest' });
