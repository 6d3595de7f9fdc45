import { z } from 'zod';
import { json, jsonObject, label, queryInteger, uuid } from './json.js';
import { requestSummary } from './prompt-schemas.js';
import { clientTools, versioned } from './session-schemas.js';

export const payloadQuery = z.strictObject({
  model: label(200).optional().meta({ description: 'Model to build the payload for; default: that of the session.' }),
  at: queryInteger(1, 999_999_999_999_999).optional().meta({ description: 'Version of the session to build the payload at; default: the current one.' }),
});

const view = {
  payload: jsonObject.meta({ description: 'The request body as it would be sent: `system`, `messages`, `tools`.' }),
  digest: z.string().meta({ description: 'SHA-256 of the payload, hexadecimal.' }),
  trace: z.array(json).meta({ description: 'What happened to each block, by which pass, and why.' }),
  problems: z.array(z.object({ rule: z.string(), at: z.string(), text: z.string() })).meta({ description: 'What the model API would refuse.' }),
  breaks: z.array(json).meta({ description: 'Where the payload is no continuation of what was sent before.' }),
};

export const normalized = z.object(view).meta({ id: 'Normalized' });

export const payloadView = z.object({ version: z.int(), ...view }).meta({ id: 'PayloadView' });

export const requests = versioned(requestSummary).meta({ id: 'Requests' });

export const request = requestSummary
  .extend({
    version: z.int(),
    original: z.array(jsonObject),
    payload: jsonObject,
    recordedDigest: z.string(),
    verified: z.boolean().meta({ description: 'The payload rebuilt from the log has the recorded digest.' }),
    trace: z.array(json),
    prefix: z
      .object({ shared: z.int(), cause: z.string().optional(), source: jsonObject.optional(), lostTokens: z.int().optional() })
      .meta({ description: 'How many leading messages the request before had sent already; what broke that, in which block, and the cached tokens it cost.' }),
  })
  .meta({ id: 'Request' });

export const audit = z
  .object({
    version: z.int(),
    events: z.int(),
    headHash: z.string().nullable(),
    valid: z.boolean(),
    firstInvalidSeq: z.int().optional(),
    parents: z.array(z.object({ sessionId: uuid, seq: z.int(), headHash: z.string(), valid: z.boolean() })).optional(),
  })
  .meta({ id: 'Audit' });

const namedTexts = z.record(z.string().min(1), z.string());

export const normalizeBody = z
  .strictObject({
    messages: z.array(jsonObject),
    system: z.string().nullable().optional(),
    tools: clientTools.optional(),
    gates: z.record(z.string(), z.boolean()).optional(),
    model: label(200).optional(),
    userContext: namedTexts.optional(),
    systemContext: namedTexts.optional(),
  })
  .meta({ id: 'Normalize', examples: [{ messages: [{ role: 'user', content: 'What is 2+2?' }] }] });
