import { z } from 'zod';
import { SESSION_ROLES } from '../../../packages/protocol/access/roles.js';
import type { EventData, EventType } from '../../../packages/protocol/events/events.js';
import { accessRecord } from './access-record-schema.js';
import { display } from './display-schemas.js';
import { json, jsonObject, time, uuid } from './json.js';
import { cacheDiagnostics, draft, inputTransformation, modelUsage, permissionMode, storedMessage } from './message-schemas.js';
import { modelOptions } from './model-option-schemas.js';
import { sentRequest } from './sent-request-schema.js';
import { submission } from './submission-schema.js';

/** The events of the log: one schema per type, the source of the OpenAPI document and of docs/events.md. */

const turnId = uuid;
const checkpoints = z
  .array(z.strictObject({ label: z.string(), at: z.number() }))
  .readonly()
  .meta({ id: 'Checkpoints', description: 'When each stage of the turn began, in milliseconds since the epoch.' });

export const failure = z
  .strictObject({
    code: z.string().meta({ description: 'Stable.' }),
    message: z.string(),
    errorCode: z.string().optional().meta({ description: 'Code of the cause, as the model API reports it in `error.details.error_code`.' }),
    status: z.int().optional().meta({ description: 'HTTP status of the model API.' }),
    providerRequestId: z.string().optional(),
  })
  .meta({ id: 'Failure' });

const aliases = z.array(z.string()).readonly().optional();

const ruleList = z.array(z.string()).readonly();

const facts = {
  title: z.string().nullable(),
  model: z.string(),
  system: z.string().nullable(),
  context: z.record(z.string(), z.string()),
  systemContext: z.record(z.string(), z.string()),
  permissionMode,
  permissions: z.strictObject({ allow: ruleList, deny: ruleList, ask: ruleList }),
  tools: z
    .array(z.strictObject({ name: z.string(), aliases, description: z.string().optional(), input_schema: jsonObject, defer_loading: z.boolean().optional() }))
    .readonly(),
  metadata: jsonObject,
  autoCompact: z.boolean().nullable().optional(),
  retentionDays: z.int().nullable().optional(),
  modelOptions: modelOptions.nullable().optional(),
};

const settings = z.strictObject(facts).meta({ id: 'RecordedSettings', description: 'The settings of the session.' });

const decision = z.enum(['allow', 'deny', 'ask', 'reject', 'cancel']);

export const decidedBy = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('rule'), rule: z.string(), source: z.enum(['deployment', 'tenant', 'session', 'command']) }),
    z.strictObject({ kind: z.literal('hook'), hookRunId: uuid }),
    z.strictObject({ kind: z.literal('mode'), mode: permissionMode }),
    z.strictObject({ kind: z.literal('person'), id: z.string() }),
    z.strictObject({ kind: z.literal('timeout') }),
  ])
  .meta({ id: 'DecidedBy', description: 'What decided the tool call.' });

const hookRunMembers = {
  hookRunId: uuid,
  event: z.string().meta({ description: 'The hook event, such as `UserPromptSubmit`.' }),
  hook: z.strictObject({ type: z.string(), command: z.string().optional(), url: z.string().optional(), matcher: z.string().optional() }),
  input: json,
  outcome: z.enum(['success', 'blocked', 'prevented', 'non_blocking_error', 'timeout']),
  exitCode: z.int().nullable(),
  httpStatus: z.int().optional(),
  durationMs: z.number(),
  stdout: z.string(),
  stderr: z.string(),
  reason: z.string().optional(),
  additionalContext: z.string().optional(),
  systemMessage: z.string().optional(),
  decision: z.enum(['allow', 'deny', 'ask']).optional(),
  updatedInput: jsonObject.optional(),
  updatedPrompt: z.string().optional(),
};

const skippedLine = z.strictObject({ line: z.int(), reason: z.string() });

const importReport = {
  source: z.enum(['verbatim', 'claude-code']),
  lines: z.int(),
  messages: z.int(),
  moves: z.int(),
  preserved: z.int(),
  reattached: z.int(),
  offBranch: z.array(uuid).readonly(),
  offBranchTotal: z.int(),
  retained: z.record(z.string(), z.int()),
  skipped: z.array(skippedLine).readonly(),
  skippedTotal: z.int(),
  shortened: z.array(skippedLine).readonly(),
  origin: z.record(z.string(), z.string()),
};

const described = <Shape extends z.ZodRawShape>(description: string, shape: Shape) => z.strictObject(shape).meta({ description });

/** The `data` of each event type. The description is the event's meaning. */
export const EVENT_DATA = {
  'session.created': described('The session was created. With `importing`, its history follows, and it is not visible before `session.imported`.', {
    settings,
    importing: z.literal(true).optional(),
    forkedFrom: z.strictObject({ sessionId: uuid, at: uuid.nullable(), seq: z.int(), headHash: z.string() }).optional(),
  }),
  'session.forked': described('The session is a fork; the history up to `at` is that of `from`.', { from: uuid, at: uuid.nullable(), seq: z.int() }),
  'import.retained': described('Lines of the imported file that are not part of the conversation.', {
    lines: z.array(z.strictObject({ line: z.int(), value: json })).readonly(),
  }),
  'session.imported': described('The import is complete.', importReport),
  'session.configured': described('Settings changed. Reload the session.', { changes: z.strictObject(facts).partial() }),
  'session.titled': described('The model named the session.', { title: z.string(), model: z.string(), usage: modelUsage }),
  'session.closed': described('The session accepts no prompts until it is reopened.', { reason: z.string().nullable() }),
  'session.reopened': described('The session accepts prompts again.', {}),
  'prompt.submitted': described('A prompt was accepted.', {
    submission,
    disposition: z.enum(['started', 'queued', 'answered']),
    display: display.optional(),
  }),
  'prompt.queued': described('The prompt is queued. Reload the queue.', { promptId: uuid, position: z.int(), reason: z.literal('turn_running') }),
  'prompt.withdrawn': described('The prompt was removed from the queue.', { promptId: uuid }),
  'turn.started': described('The turn of a prompt runs.', { turnId, promptId: uuid }),
  'turn.completed': described('The turn has ended; after a refusal it is `refused`.', { turnId, stopReason: z.string(), stopDetails: json.optional() }),
  'turn.interrupt_requested': described('An interrupt was requested; `turn.interrupted` follows.', { turnId, reason: z.string().nullable() }),
  'turn.interrupted': described('The turn was interrupted.', { turnId }),
  'turn.failed': described('The turn failed.', { turnId, error: failure }),
  'turn.prepared': described('The prompt was converted into messages.', { turnId, callsModel: z.boolean(), checkpoints }),
  'turn.waiting': described('The turn waits for the client: for the results of `toolUseIds`, and for decisions on `decisions`.', {
    turnId,
    toolUseIds: z.array(z.string()).readonly(),
    decisions: z.array(z.string()).readonly().optional(),
  }),
  'turn.resumed': described('The turn runs again.', { turnId }),
  'session.tools_changed': described('The tools of the server that the model is offered from here on.', {
    tools: z
      .array(
        z.strictObject({
          name: z.string(),
          description: z.string(),
          input_schema: jsonObject,
          source: z.string(),
          aliases,
          effect: z.enum(['read', 'edit', 'run']),
        }),
      )
      .readonly(),
  }),
  'tool.decided': described('A tool call was decided.', {
    turnId,
    toolUseId: z.string(),
    name: z.string(),
    decision,
    by: decidedBy,
    reason: z.string().optional(),
    feedback: z.string().optional(),
    updatedInput: jsonObject.optional(),
    deferred: z.array(draft).readonly().optional(),
    endReason: z.string().optional(),
  }),
  'tool.started': described('A tool call is about to run. Without `tool.completed`, its effect is unknown.', {
    turnId,
    toolUseId: z.string(),
    name: z.string(),
    input: json,
  }),
  'tool.completed': described('A tool call has ended.', {
    turnId,
    toolUseId: z.string(),
    name: z.string(),
    outcome: z.enum(['finished', 'interrupted', 'unknown']),
    isError: z.boolean(),
    durationMs: z.number(),
    deferred: z.array(draft).readonly().optional(),
    endReason: z.string().optional(),
  }),
  'message.appended': described('A message was appended to the conversation. It replaces the deltas of its request.', {
    message: storedMessage,
    turnId: turnId.nullable(),
    promptId: uuid.optional(),
  }),
  'hook.completed': described('A hook has run.', { ...hookRunMembers, turnId: turnId.nullable() }),
  'request.sent': sentRequest.meta({ description: 'A request was sent to the model.' }),
  'request.completed': described('The model answered.', {
    requestId: uuid,
    turnId,
    providerRequestId: z.string().nullable(),
    stopReason: z.string().nullable(),
    ...{ usage: modelUsage, durationMs: z.number() },
    cacheDiagnostics: cacheDiagnostics
      .optional()
      .meta({ description: 'Why the prompt cache was missed, as the model API reported it. Absent: it reported nothing.' }),
    inputTransformations: z
      .array(inputTransformation)
      .readonly()
      .optional()
      .meta({ description: 'Changes that the model API made to the input. Absent: it reported none.' }),
  }),
  'request.failed': described('The request failed. Deltas received for it are void.', {
    requestId: uuid,
    turnId,
    error: failure,
    durationMs: z.number(),
    retryAt: time.nullable().meta({ description: 'When it is retried; null: it is not.' }),
  }),
  'session.rewound': described('Messages were removed from the conversation. Reload the messages.', {
    rewindId: uuid,
    before: uuid.optional(),
    after: uuid.optional(),
    from: uuid.nullable(),
    to: uuid.nullable(),
    removed: z.array(uuid).readonly(),
    permissionMode,
    reason: z.string().nullable(),
    cause: z.enum(['edit', 'regenerate']).optional().meta({ description: 'A prompt took the place of the removed messages; absent: only the head moved.' }),
    replacedBy: uuid.optional().meta({ description: 'Uuid of the message of that prompt.' }),
    at: time.optional().meta({ description: 'When it was made, of an import; absent: when it was recorded.' }),
  }),
  'session.compacted': described('The conversation was compacted. The transcript keeps every message.', {
    compactionId: uuid,
    turnId,
    requestId: uuid,
    boundary: uuid,
    summary: uuid,
    keptFrom: uuid.nullable(),
    trigger: z.enum(['manual', 'auto']),
    instructions: z.string().nullable(),
    omitted: z.int(),
    preTokens: z.number().nullable(),
    summaryTokens: z.number().nullable(),
  }),
  'session.restored': described('An earlier branch became the current one. Reload the messages.', {
    rewindId: uuid.nullable().meta({ description: 'The rewind that was undone; null: the branch had been left by another restore.' }),
    from: uuid.nullable(),
    to: uuid.nullable(),
    permissionMode,
    at: time.optional().meta({ description: 'When it was made, of an import; absent: when it was recorded.' }),
  }),
  'feedback.recorded': described('Feedback on an answer was recorded.', {
    feedbackId: uuid,
    requestId: uuid,
    rating: z.union([z.number(), z.string()]),
    comment: z.string().nullable(),
  }),
  'content.erased': described('Content was erased, in one or several steps. Reload the messages.', {
    erasureId: uuid.meta({ description: 'The same for all steps of an erasure.' }),
    scope: z.enum(['session', 'message']),
    messages: z
      .array(uuid)
      .readonly()
      .optional()
      .meta({ description: 'Of scope `message`: the erased messages, first the one that was named, then those that were made with it.' }),
    reason: z.string().nullable(),
    events: z
      .array(z.strictObject({ seq: z.int(), data: json }))
      .readonly()
      .meta({ description: 'The erased events, and what is left of their data.' }),
    bytes: z.int().meta({ description: 'Size of the data that this step erased, without files.' }),
    blobs: z.int().meta({ description: 'Files that this step took from the session.' }),
    untitled: z.literal(true).optional().meta({ description: 'The title of the session was made from erased content.' }),
    isComplete: z.boolean().meta({ description: 'false: more steps follow.' }),
  }),
  'hold.placed': described('The session was put under a legal hold: nothing of it is erased.', { reason: z.string().nullable() }),
  'hold.released': described('The legal hold of the session was released.', { reason: z.string().nullable() }),
  'session.granted': described('A user or group has a role in the session, instead of an earlier one.', {
    principal: z.string().meta({ description: '`user:` and an id, or `group:` and a name.' }),
    role: z.enum(SESSION_ROLES),
  }),
  'session.grant_revoked': described('A user or group has no role in the session any more.', { principal: z.string() }),
  'glass.broken': described('A user without a role that reads got read access for a short time.', { until: time, reason: z.string() }),
  'session.accessed': described('Content was read by a caller who does not own the session, once for each reader and hour, or was taken into a fork.', {
    ...accessRecord,
  }),
} satisfies { readonly [T in EventType]: z.ZodType };

/** Compiles only while every event that core can write fits its schema. */
type Documented = { readonly [T in EventType]: z.output<(typeof EVENT_DATA)[T]> };
type Mismatched = { readonly [T in EventType]: EventData[T] extends Documented[T] ? never : T }[EventType];
type NoneOf<T extends never> = T;
export type MismatchedEvents = NoneOf<Mismatched>;
