import { z } from 'zod';
import { callOutcome, decision, failure } from '../../../packages/protocol/events/facts.js';
import { decidedBy } from '../../../packages/protocol/permissions/decided-by.js';
import type { BlobSource, Content } from '../../../packages/protocol/message/content.js';
import { blobsIn } from '../../../packages/normalizer/embedded-messages.js';
import { dictionary, list } from './bounded.js';
import { content } from './content.js';
import { json, jsonObject, queryInteger, time, uuid } from './json.js';
import { attachmentSchema } from './attachment-schemas.js';
import { display } from './display-schemas.js';
import { schemaOf } from './schema-of-shape.js';
import { message, modelUsage } from './message-schemas.js';
import { requestOrigin, requestRepair } from '../../../packages/protocol/events/sent-request.js';
import { modelOptions } from './model-option-schemas.js';
import { versioned } from './session-schemas.js';
import { timeZone } from './time-zone.js';
import { usageTotals } from './usage-schemas.js';
import type { PastedContent, StoredPastedImage, Submission } from '../../../packages/protocol/message/submission.js';

const blobSource = z
  .looseObject({ type: z.literal('blob'), sha256: z.string() })
  .meta({ id: 'BlobSource', description: 'Bytes that the session has already, by their SHA-256.' }) as unknown as z.ZodType<BlobSource, BlobSource>;

const pasted = z
  .strictObject({
    type: z.enum(['text', 'image']),
    content: z.string().optional().meta({ description: 'The text; of an image its bytes as base64.' }),
    source: blobSource
      .optional()
      .meta({ description: 'Of an image, instead of `content`: bytes that the session has, such as those in the prompt that a rewind returns.' }),
    mediaType: z.string().optional(),
    filename: z.string().max(1_000).optional(),
    sourcePath: z.string().max(10_000).optional(),
  })
  .superRefine(({ type, content: given, source }, context) => {
    if (source !== undefined && type !== 'image') context.addIssue({ code: 'custom', path: ['source'], message: 'is for images only' });
    if ((given === undefined) === (source === undefined))
      context.addIssue({ code: 'custom', path: ['content'], message: 'is required, or `source` for an image' });
  }) as unknown as z.ZodType<PastedContent | StoredPastedImage, PastedContent | StoredPastedImage>;

/** What a prompt brought is named by its hash in what we answer; only a prompt can name it again. */
const NAMES_BYTES = 'names bytes by their hash; send the bytes themselves';

const place = { uuid: '', parentUuid: null, timestamp: '' };
const hasNames = (value: Content): boolean => blobsIn({ type: 'user', ...place, content: value }).length > 0;

type Attachment = NonNullable<Submission['attachments']>[number];

const attachment = attachmentSchema as z.ZodType<Attachment, Attachment>;

export const promptBody = z
  .strictObject({
    input: content,
    mode: z.enum(['prompt', 'bash']).optional(),
    pastedContents: dictionary(z.string().regex(/^[1-9]\d{0,8}$/, 'must be a number'), pasted, 'MAX_PASTES_PER_PROMPT').optional(),
    attachments: list(attachment, 'MAX_ATTACHMENTS_PER_PROMPT').optional(),
    skipSlashCommands: z.boolean().optional().meta({ description: 'Text that begins with a slash is text, and exit words are words.' }),
    bridgeOrigin: z.boolean().optional().meta({ description: 'Sent by a client that controls the session from afar: only commands that are safe there run.' }),
    origin: json.optional(),
    isMeta: z.boolean().optional().meta({ description: 'For the model only, such as the prompt of a scheduled task: the transcript does not show it.' }),
    modelOptions: modelOptions.optional().meta({ description: 'For the requests of its turn; each takes precedence over that of the session.' }),
    timeZone,
    whenBusy: z.enum(['enqueue', 'reject', 'interrupt']).optional(),
    uuid: uuid.optional().meta({ description: "Uuid of the prompt's message, chosen by the client." }),
    replaces: uuid
      .optional()
      .meta({ description: 'Uuid of an earlier prompt of the conversation that this one replaces: everything from that prompt on becomes another branch.' }),
  })
  .meta({
    id: 'Prompt',
    examples: [{ input: 'Sum this up: [Pasted text #1]', pastedContents: { '1': { type: 'text', content: 'A long text.' } }, whenBusy: 'enqueue' }],
  });

/** The members of a prompt that can be sent again. */
export const resubmission = promptBody.omit({ whenBusy: true, uuid: true, replaces: true }).meta({
  id: 'Resubmission',
  description: 'A submission, in the form that `POST …/prompts` takes. Files reference bytes of the session.',
});

export const submittedPrompt = z.strictObject({ version: z.int(), prompt: resubmission }).meta({ id: 'SubmittedPrompt' });

export const promptAnswer = z
  .strictObject({
    version: z.int(),
    promptId: uuid,
    disposition: z.enum(['started', 'queued', 'answered']),
    turnId: uuid.optional(),
    position: z.int().optional(),
    display: display.optional(),
    messages: z.array(message).optional(),
    rewind: z
      .strictObject({ id: uuid, removed: z.array(uuid) })
      .optional()
      .meta({ description: 'Of a prompt that replaced another one: the rewind, which can be restored, and the uuids of the removed messages.' }),
  })
  .meta({ id: 'PromptAnswer' });

export const regenerateBody = z
  .strictObject({
    prompt: uuid.optional().meta({ description: 'Uuid of the prompt; absent: the newest prompt of the conversation.' }),
    whenBusy: z.enum(['reject', 'interrupt']).optional().meta({ description: 'What to do while a turn runs; default `reject`.' }),
  })
  .meta({ id: 'Regenerate', examples: [{ whenBusy: 'interrupt' }] });

export const queue = versioned(
  z.strictObject({ promptId: uuid, turnId: uuid, position: z.int(), reason: z.string(), mode: z.string(), input: content, submittedAt: time, by: z.string() }),
).meta({ id: 'Queue' });

export const withdrawn = z.strictObject({ version: z.int(), withdrawn: z.literal(true) }).meta({ id: 'Withdrawn' });

export const interrupted = z.strictObject({ version: z.int(), interrupted: z.boolean() }).meta({ id: 'Interrupted' });

export const toolResultsBody = z
  .strictObject({
    results: list(
      z.strictObject({
        toolUseId: z.string().min(1).max(200),
        content: content.refine((value) => !hasNames(value), NAMES_BYTES),
        isError: z.boolean().optional(),
        toolUseResult: json.optional(),
      }),
      'MAX_TOOL_RESULTS',
    ).refine((results) => results.length > 0, 'must not be empty'),
  })
  .meta({ id: 'ToolResults', examples: [{ results: [{ toolUseId: 'toolu_01', content: '4' }] }] });

export const toolResultsAnswer = z.strictObject({ version: z.int(), accepted: z.int() }).meta({ id: 'ToolResultsAccepted' });

export const toolDecisionBody = z
  .strictObject({
    toolUseId: z.string().min(1).max(200),
    decision: z.enum(['allow', 'reject', 'cancel']),
    feedback: z
      .string()
      .trim()
      .min(1)
      .max(100_000)
      .optional()
      .meta({ description: 'With `reject`: told to the model, which then continues. Without it the turn ends.' }),
    updatedInput: jsonObject.optional().meta({ description: 'With `allow`: run it with this input instead.' }),
  })
  .superRefine(({ decision, feedback, updatedInput }, context) => {
    if (feedback !== undefined && decision !== 'reject')
      context.addIssue({ code: 'custom', path: ['feedback'], message: 'goes with the decision `reject` only' });
    if (updatedInput !== undefined && decision !== 'allow')
      context.addIssue({ code: 'custom', path: ['updatedInput'], message: 'goes with the decision `allow` only' });
  })
  .meta({ id: 'ToolDecision', examples: [{ toolUseId: 'toolu_01', decision: 'reject', feedback: 'Use the other folder.' }] });

export const toolDecisionAnswer = z
  .strictObject({ version: z.int(), toolUseId: z.string(), decision: z.enum(['allow', 'reject', 'cancel']) })
  .meta({ id: 'ToolDecided' });

export const turnQuery = z.strictObject({
  wait: queryInteger(0, 3_600).optional().meta({ description: 'Seconds to wait for the turn to stop running; at most MAX_WAIT_SECONDS of the server.' }),
});

const requestSummary = z
  .strictObject({
    requestId: uuid,
    turnId: uuid,
    ordinal: z.int(),
    purpose: z.enum(['answer', 'compaction']),
    seq: z.int(),
    at: z.int(),
    model: z.string(),
    digest: z.string(),
    bytes: z.int(),
    status: z.enum(['open', 'completed', 'failed']),
    sentAt: time,
    stopReason: z.string().nullable(),
    usage: modelUsage.nullable(),
    error: schemaOf(failure.nullable()),
    durationMs: z.number().nullable(),
    providerRequestId: z.string().nullable(),
    origin: schemaOf(requestOrigin.nullable().about('Null: the server made the request.')),
    repair: schemaOf(requestRepair.nullable().about('Null: without repairs.')),
  })
  .meta({ id: 'RequestSummary' });

/** Of a request, with what it cost. */
export const pricedRequest = requestSummary
  .extend({
    cost: z.number().nullable().meta({ description: 'In US dollars, by the prices that the server has now; null: no answer has said what was used.' }),
  })
  .meta({ id: 'PricedRequest' });

const toolCallView = z
  .strictObject({
    toolUseId: z.string(),
    name: z.string(),
    input: json.meta({ description: 'As it is run, or would be.' }),
    requestedInput: json.optional().meta({ description: 'As the model wrote it, when a hook or a person changed it.' }),
    runBy: z.enum(['server', 'client', 'none']),
    status: z.enum(['pending', 'awaiting_decision', 'ready', 'running', 'awaiting_client', 'awaiting_helper', 'settled']).meta({
      description:
        '`awaiting_decision`: POST a decision to `tool-decisions`; `awaiting_client`: POST the result to `tool-results`; `awaiting_helper`: the session `helper` carries it out, and may itself wait for a decision; `settled`: it has its result.',
    }),
    decision: schemaOf(decision.nullable()),
    decidedBy: schemaOf(decidedBy.nullable()),
    reason: z.string().nullable(),
    startedAt: time.nullable(),
    helper: uuid.nullable().meta({ description: 'The session that carries it out; null: the server or the client does.' }),
    endedAt: time.nullable(),
    outcome: schemaOf(callOutcome.nullable()),
    isError: z.boolean().nullable(),
    durationMs: z.number().nullable(),
    resultUuid: uuid.nullable().meta({ description: 'The message that holds its result.' }),
  })
  .meta({ id: 'ToolCall' });

export const turn = z
  .strictObject({
    version: z.int(),
    turnId: uuid,
    promptId: uuid,
    status: z.enum(['queued', 'running', 'waiting', 'completed', 'refused', 'interrupted', 'failed']),
    startedAt: time.nullable(),
    endedAt: time.nullable(),
    stopReason: z.string().nullable(),
    stopDetails: json.nullable().meta({ description: 'Of a refused turn: what the model API said about the refusal.' }),
    error: schemaOf(failure.nullable()),
    checkpoints: z.array(z.strictObject({ label: z.string(), at: z.number() })),
    requests: z.array(requestSummary),
    toolCalls: z.array(toolCallView),
    usage: usageTotals,
  })
  .meta({ id: 'Turn' });
