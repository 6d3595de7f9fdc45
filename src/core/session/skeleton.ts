import type { Json } from '../message/content.js';
import { idOf, messageSkeleton, stopReasonOf, usageSkeleton } from '../message/message-skeleton.js';
import type { StoredSubmission } from '../message/submission.js';
import type { HookRun } from '../hooks/hook-run.js';
import type { DecidedBy } from '../permissions/decided-by.js';
import type { EventData, EventType, Failure, NewEvent, SentRequest, SessionEvent, SessionSettings } from './events.js';
import { NO_SETTINGS } from './state.js';

/**
 * What is left of an event's data when its content is erased; it folds like the event. Only ids, kinds, numbers and times are copied, each by name: a member that is
 * not listed is content. Null: the event has none to erase.
 */
export function skeletonOf(event: SessionEvent): Json | null {
  const skeleton = SKELETONS[event.type](event.data as never) as unknown as Json;
  return JSON.stringify(skeleton) === JSON.stringify(event.data) ? null : skeleton;
}

/** Whether an erasure would take something from the event. `text`: its data as JSON. */
export function hasContent({ type, data }: NewEvent, text: string): boolean {
  return JSON.stringify(SKELETONS[type](data as never)) !== text;
}

/** Whether an event may ever be erased: what reports an erasure or a hold has no content. */
export const isErasable = ({ type, erased }: SessionEvent): boolean =>
  erased !== true && type !== 'content.erased' && type !== 'hold.placed' && type !== 'hold.released';

type Skeletons = { readonly [T in EventType]: (data: EventData[T]) => EventData[T] };

const same = <Data>(data: Data): Data => data;

const SKELETONS: Skeletons = {
  'session.created': ({ settings, importing, forkedFrom }) => ({
    settings: { ...NO_SETTINGS, ...settingsSkeleton(settings) },
    ...(importing ? { importing } : {}),
    ...(forkedFrom ? { forkedFrom } : {}),
  }),
  'session.forked': same,
  'import.retained': () => ({ lines: [] }),
  'session.imported': ({ source, lines, messages, skippedTotal }) => ({ source, lines, messages, retained: {}, skipped: [], skippedTotal, origin: {} }),
  'session.configured': ({ changes }) => ({ changes: settingsSkeleton(changes) }),
  'session.titled': ({ model, usage }) => ({ title: '', model, usage: usageSkeleton(usage) }),
  'session.closed': () => ({ reason: null }),
  'session.reopened': same,
  'prompt.submitted': ({ submission, disposition }) => ({ submission: submissionSkeleton(submission), disposition }),
  'prompt.queued': same,
  'prompt.withdrawn': same,
  'turn.started': same,
  'turn.completed': ({ turnId, stopReason }) => ({ turnId, stopReason: stopReasonOf(stopReason) ?? 'erased' }),
  'turn.interrupt_requested': ({ turnId }) => ({ turnId, reason: null }),
  'turn.interrupted': same,
  'turn.failed': ({ turnId, error }) => ({ turnId, error: failureSkeleton(error) }),
  'turn.prepared': same,
  'turn.waiting': ({ turnId, toolUseIds, decisions }) => ({
    turnId,
    toolUseIds: toolUseIds.map(idOf),
    ...(decisions ? { decisions: decisions.map(idOf) } : {}),
  }),
  'turn.resumed': same,
  'session.tools_changed': () => ({ tools: [] }),
  'tool.decided': ({ turnId, toolUseId, decision, by }) => ({ turnId, toolUseId: idOf(toolUseId), name: '', decision, by: deciderSkeleton(by) }),
  'tool.started': ({ turnId, toolUseId }) => ({ turnId, toolUseId: idOf(toolUseId), name: '', input: {} }),
  'tool.completed': ({ turnId, toolUseId, outcome, isError, durationMs }) => ({ turnId, toolUseId: idOf(toolUseId), name: '', outcome, isError, durationMs }),
  'message.appended': ({ message, turnId, promptId }) => ({
    message: messageSkeleton(message),
    turnId,
    ...(promptId === undefined ? {} : { promptId }),
  }),
  'hook.completed': ({ turnId, ...run }) => ({ ...runSkeleton(run), turnId }),
  'request.sent': requestSkeleton,
  'request.completed': ({ requestId, turnId, providerRequestId, stopReason, usage, durationMs }) => ({
    requestId,
    turnId,
    providerRequestId,
    stopReason: stopReasonOf(stopReason),
    usage: usageSkeleton(usage),
    durationMs,
  }),
  'request.failed': ({ requestId, turnId, error, durationMs, retryAt }) => ({ requestId, turnId, error: failureSkeleton(error), durationMs, retryAt }),
  'session.rewound': (data) => ({ ...data, reason: null }),
  'session.compacted': (data) => ({ ...data, instructions: null }),
  'session.restored': same,
  'feedback.recorded': ({ feedbackId, requestId, rating }) => ({ feedbackId, requestId, rating: typeof rating === 'number' ? rating : '', comment: null }),
  'content.erased': same,
  'hold.placed': same,
  'hold.released': same,
  'session.granted': ({ principal, role }) => ({ principal: principalSkeleton(principal), role }),
  'session.grant_revoked': ({ principal }) => ({ principal: principalSkeleton(principal) }),
  'glass.broken': ({ until }) => ({ until, reason: '' }),
  'session.accessed': ({ reader, via, hour }) => ({ reader, via, hour }),
};

/** The name of a group is a text; the id of a user stays, as in `actor`. */
const principalSkeleton = (principal: string): string => (principal.startsWith('user:') ? principal : 'group:');

export function submissionSkeleton({ promptId, turnId, uuid, mode, route, isMeta }: StoredSubmission): StoredSubmission {
  return {
    promptId,
    turnId,
    uuid,
    mode,
    original: '',
    ...(route ? { route: 'name' in route ? { ...route, name: '' } : route } : {}),
    ...(isMeta ? { isMeta } : {}),
  };
}

/** Settings that are content are taken out of a change, and empty at the start of a session. */
function settingsSkeleton({ permissionMode, archived, autoCompact, retentionDays, model }: Partial<SessionSettings>): Partial<SessionSettings> {
  return {
    ...(model === undefined ? {} : { model }),
    ...(permissionMode === undefined ? {} : { permissionMode }),
    ...(archived === undefined ? {} : { archived }),
    ...(autoCompact === undefined ? {} : { autoCompact }),
    ...(retentionDays === undefined ? {} : { retentionDays }),
  };
}

function failureSkeleton({ code, status, providerRequestId }: Failure): Failure {
  return { code, message: '', ...(status === undefined ? {} : { status }), ...(providerRequestId === undefined ? {} : { providerRequestId }) };
}

const deciderSkeleton = (by: DecidedBy): DecidedBy => (by.kind === 'rule' ? { kind: 'rule', rule: '', source: by.source } : by);

function runSkeleton({ hookRunId, event, outcome, exitCode, httpStatus, durationMs, decision, hook }: HookRun): HookRun {
  return {
    hookRunId,
    event,
    hook: { type: hook.type },
    input: null,
    outcome,
    exitCode,
    ...(httpStatus === undefined ? {} : { httpStatus }),
    durationMs,
    stdout: '',
    stderr: '',
    ...(decision === undefined ? {} : { decision }),
  };
}

/** Without its digests, which have no salt: a guess of short content could be tested with them. */
function requestSkeleton(sent: SentRequest): SentRequest {
  const { requestId, turnId, ordinal, at, model, profile, gates, betas, normalizer, maxTokens, bytes, purpose, compaction } = sent;
  return {
    requestId,
    turnId,
    ordinal,
    at,
    model,
    profile,
    gates,
    ...(betas ? { betas } : {}),
    normalizer,
    maxTokens,
    digest: '',
    bytes,
    prefix: { system: '', tools: '', messages: [], tail: [], shared: 0 },
    ...(purpose ? { purpose } : {}),
    ...(compaction ? { compaction: { ...compaction, instructions: null } } : {}),
  };
}
