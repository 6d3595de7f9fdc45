import { MESSAGE, STOP_REASON, STOP_REASON_OR_NULL, USAGE } from '../message/message-skeleton.js';
import {
  constant,
  ID,
  ID_OR_EMPTY,
  ID_OR_NULL,
  keep,
  keepOr,
  list,
  MODE,
  NUMBER,
  NUMBER_OR_NULL,
  oneOf,
  required,
  type Rule,
  type Rules,
  TIME,
} from '../message/skeleton-rule.js';
import type { EventType } from './events.js';
import { NO_SETTINGS } from './settings.js';

/** A model or a version, on one line. */
const NAME = '^[ -\\[\\]-~\\u00a0-\\ud7ff]{1,200}$';
const NAME_OR_EMPTY = keepOr('', NAME);
const HASH = '^[0-9a-f]{64}$';
const EMPTY = constant('');
const NULL = constant(null);

/** Settings that are content are taken out of a change, and empty at the start of a session. */
const SETTINGS: Rules = {
  model: keep(NAME),
  permissionMode: keep(MODE),
  archived: keep('boolean'),
  autoCompact: keep('boolean', 'null'),
  retentionDays: keep('number', 'null'),
};

const FIRST_SETTINGS: Rules = {
  ...Object.fromEntries(Object.entries(NO_SETTINGS).map(([name, value]) => [name, constant(value as never)])),
  ...SETTINGS,
  model: NAME_OR_EMPTY,
  permissionMode: keepOr('default', MODE),
};

const FAILURE = required({ code: ID_OR_EMPTY, message: EMPTY, status: keep('number'), providerRequestId: keep(ID) });

const ROUTE: Rule = {
  by: 'kind',
  cases: {
    prompt: { members: { kind: constant('prompt') } },
    bash: { members: { kind: constant('bash') } },
    exit: { members: { kind: constant('exit') } },
    command: { members: { kind: constant('command'), command: keepOr('client', oneOf('client', 'local', 'prompt', 'turn')), name: EMPTY } },
    rejected: { members: { kind: constant('rejected'), name: EMPTY, reason: keepOr('unknown', oneOf('unknown', 'remote', 'model_only')) } },
  },
};

export const SUBMISSION = required({
  promptId: ID_OR_EMPTY,
  turnId: ID_OR_EMPTY,
  uuid: ID_OR_EMPTY,
  mode: keepOr('prompt', oneOf('prompt', 'bash', 'compact')),
  original: EMPTY,
  route: ROUTE,
  isMeta: keep('true'),
});

const DECIDED_BY: Rule = {
  by: 'kind',
  cases: {
    rule: { members: { kind: constant('rule'), rule: EMPTY, source: keepOr('session', oneOf('deployment', 'tenant', 'session', 'command')) } },
    hook: { members: { kind: constant('hook'), hookRunId: ID_OR_EMPTY } },
    mode: { members: { kind: constant('mode'), mode: keepOr('default', MODE) } },
    person: { members: { kind: constant('person'), id: ID_OR_EMPTY } },
  },
  else: { members: { kind: constant('timeout') }, else: constant({ kind: 'timeout' }) },
};

const USAGE_OR_NONE: Rule = { ...USAGE, else: constant({}) };

const TRIGGER = keepOr('auto', oneOf('manual', 'auto'));

const COMPACTION: Rule = {
  members: {
    trigger: TRIGGER,
    instructions: NULL,
    keptFrom: ID_OR_NULL,
    from: ID_OR_NULL,
    to: ID_OR_NULL,
    omitted: NUMBER,
    preTokens: NUMBER_OR_NULL,
  },
};

/** The name of a group is a text; the id of a user stays, as in `actor`. */
const PRINCIPAL = keepOr('group:', '^user:[A-Za-z0-9_-]{1,128}$');

/** Null: nothing of the event is content, or it is never erased. */
export const SKELETONS: { readonly [T in EventType]: Rules | null } = {
  'session.created': {
    settings: required(FIRST_SETTINGS),
    importing: keep('true'),
    forkedFrom: { members: { sessionId: ID_OR_EMPTY, at: ID_OR_NULL, seq: NUMBER, headHash: keepOr('', HASH) } },
  },
  'session.forked': null,
  'import.retained': { lines: constant([]) },
  'session.imported': {
    source: keepOr('verbatim', oneOf('verbatim', 'claude-code')),
    lines: NUMBER,
    messages: NUMBER,
    moves: NUMBER,
    preserved: NUMBER,
    reattached: NUMBER,
    offBranch: { items: keep(ID), else: constant([]) },
    offBranchTotal: NUMBER,
    retained: constant({}),
    skipped: constant([]),
    skippedTotal: NUMBER,
    shortened: constant([]),
    origin: constant({}),
  },
  'session.configured': { changes: required(SETTINGS) },
  'session.titled': { title: EMPTY, model: NAME_OR_EMPTY, usage: USAGE_OR_NONE },
  'session.closed': { reason: NULL },
  'session.reopened': null,
  'prompt.submitted': { submission: SUBMISSION, disposition: keepOr('started', oneOf('started', 'queued', 'answered')) },
  'prompt.queued': null,
  'prompt.withdrawn': null,
  'turn.started': null,
  'turn.completed': { turnId: ID_OR_EMPTY, stopReason: STOP_REASON },
  'turn.interrupt_requested': { turnId: ID_OR_EMPTY, reason: NULL },
  'turn.interrupted': null,
  'turn.failed': { turnId: ID_OR_EMPTY, error: FAILURE },
  'turn.prepared': null,
  'turn.waiting': { turnId: ID_OR_EMPTY, toolUseIds: list(ID_OR_EMPTY), decisions: { items: ID_OR_EMPTY } },
  'turn.resumed': null,
  'session.tools_changed': { tools: constant([]) },
  'tool.decided': {
    turnId: ID_OR_EMPTY,
    toolUseId: ID_OR_EMPTY,
    name: EMPTY,
    decision: keepOr('ask', oneOf('allow', 'deny', 'ask', 'reject', 'cancel')),
    by: DECIDED_BY,
  },
  'tool.started': { turnId: ID_OR_EMPTY, toolUseId: ID_OR_EMPTY, name: EMPTY, input: constant({}) },
  'tool.completed': {
    turnId: ID_OR_EMPTY,
    toolUseId: ID_OR_EMPTY,
    name: EMPTY,
    outcome: keepOr('unknown', oneOf('finished', 'interrupted', 'unknown')),
    isError: keepOr(false, 'boolean'),
    durationMs: NUMBER,
  },
  'message.appended': { message: MESSAGE, turnId: ID_OR_NULL, promptId: keep(ID) },
  'hook.completed': {
    hookRunId: ID_OR_EMPTY,
    event: ID_OR_EMPTY,
    hook: required({ type: ID_OR_EMPTY }),
    input: NULL,
    outcome: keepOr('success', oneOf('success', 'blocked', 'prevented', 'non_blocking_error', 'timeout')),
    exitCode: NUMBER_OR_NULL,
    httpStatus: keep('number'),
    durationMs: NUMBER,
    stdout: EMPTY,
    stderr: EMPTY,
    decision: keep(oneOf('allow', 'deny', 'ask')),
    turnId: ID_OR_NULL,
  },
  // Without its digests, which have no salt: a guess of short content could be tested with them.
  'request.sent': {
    requestId: ID_OR_EMPTY,
    turnId: ID_OR_EMPTY,
    ordinal: NUMBER,
    at: NUMBER,
    model: NAME_OR_EMPTY,
    profile: NAME_OR_EMPTY,
    gates: { entries: keep('boolean'), named: ID, else: constant({}) },
    betas: { items: keep(NAME) },
    normalizer: NAME_OR_EMPTY,
    maxTokens: NUMBER,
    digest: EMPTY,
    bytes: NUMBER,
    prefix: constant({ system: '', tools: '', messages: [], tail: [], shared: 0 }),
    purpose: keep(oneOf('compaction')),
    compaction: COMPACTION,
  },
  'request.completed': {
    requestId: ID_OR_EMPTY,
    turnId: ID_OR_EMPTY,
    providerRequestId: ID_OR_NULL,
    stopReason: STOP_REASON_OR_NULL,
    usage: USAGE_OR_NONE,
    durationMs: NUMBER,
  },
  'request.failed': { requestId: ID_OR_EMPTY, turnId: ID_OR_EMPTY, error: FAILURE, durationMs: NUMBER, retryAt: keepOr(null, TIME) },
  'session.rewound': {
    rewindId: ID_OR_EMPTY,
    before: keep(ID),
    after: keep(ID),
    from: ID_OR_NULL,
    to: ID_OR_NULL,
    removed: list(keep(ID)),
    permissionMode: keepOr('default', MODE),
    reason: NULL,
    at: keep(TIME),
    cause: keep(oneOf('edit', 'regenerate')),
    replacedBy: keep(ID),
  },
  'session.compacted': {
    compactionId: ID_OR_EMPTY,
    turnId: ID_OR_EMPTY,
    requestId: ID_OR_EMPTY,
    boundary: ID_OR_EMPTY,
    summary: ID_OR_EMPTY,
    keptFrom: ID_OR_NULL,
    trigger: TRIGGER,
    instructions: NULL,
    omitted: NUMBER,
    preTokens: NUMBER_OR_NULL,
    summaryTokens: NUMBER_OR_NULL,
  },
  'session.restored': null,
  'feedback.recorded': { feedbackId: ID_OR_EMPTY, requestId: ID_OR_EMPTY, rating: keepOr('', 'number'), comment: NULL },
  'content.erased': null,
  'hold.placed': null,
  'hold.released': null,
  'session.granted': { principal: PRINCIPAL, role: keepOr('viewer', oneOf('owner', 'editor', 'viewer', 'auditor')) },
  'session.grant_revoked': { principal: PRINCIPAL },
  'glass.broken': { until: keepOr('1970-01-01T00:00:00.000Z', TIME), reason: EMPTY },
  'session.accessed': null,
};
