import type { SentBody } from '../../../packages/protocol/request/sent-body.js';
import type { ClientRecords } from './client-records.js';
import { NO_SETTINGS } from '../../../packages/protocol/events/settings.js';
import type { SessionRole } from '../../../packages/protocol/access/roles.js';
import type { Json } from '../../../packages/protocol/message/content.js';
import type { StoredMessage, Usage } from '../../../packages/protocol/message/message.js';
import type {
  AccessVia,
  CallOutcome,
  Checkpoints,
  ContentErased,
  Decision,
  EventData,
  Failure,
  ForkedFrom,
  HelperParent,
  RequestPrefix,
  PrefixDigests,
  SentRequest,
  SessionSettings,
} from '../../../packages/protocol/events/events.js';
import type { ToolDefinition } from '../../../packages/protocol/message/tool-definition.js';
import type { Draft } from '../../../packages/protocol/message/draft.js';
import type { DecidedBy } from '../../../packages/protocol/permissions/decided-by.js';
import type { StoredFile } from './stored-file.js';
import type { ScheduleRecord } from './schedules.js';
import { emptyWorkspace, type WorkspaceState } from './workspace.js';
import type { Submission } from '../../../packages/protocol/message/submission.js';

/** `importing`: its history is still being written, and the session is hidden. */
export type SessionStatus = 'idle' | 'running' | 'waiting' | 'closed' | 'importing';

export type TurnStatus = 'running' | 'waiting' | 'completed' | 'refused' | 'interrupted' | 'failed';

/** One tool call of a turn. */
export interface CallRecord {
  readonly toolUseId: string;
  readonly name: string;
  /** Input as the model wrote it. */
  readonly input: Json;
  /** Where the call runs; `none`: no tool has this name. */
  readonly runBy: 'server' | 'client' | 'none';
  decision: Decision | null;
  decidedBy: DecidedBy | null;
  reason: string | null;
  /** Replaces `input` when a hook or a person changed it. */
  updatedInput: Json | null;
  startedAt: string | null;
  /** The session that carries it out; null: this server runs it, or it has not started. */
  helper: string | null;
  endedAt: string | null;
  outcome: CallOutcome | null;
  isError: boolean | null;
  durationMs: number | null;
  /** Messages of its result, held back while an earlier call has none. */
  deferred: readonly Draft[] | null;
  /** Uuid of the message with its result; null: the call is open. */
  resultUuid: string | null;
}

export interface Turn {
  readonly turnId: string;
  /** Seq of the `turn.resumed` event that began this segment; 0 for the first segment. Each segment has its own job. */
  segment: number;
  readonly promptId: string;
  readonly startedAt: string;
  status: TurnStatus;
  endedAt: string | null;
  stopReason: string | null;
  stopDetails: Json;
  error: Failure | null;
  checkpoints: Checkpoints;
  /** The prompt's messages are appended. */
  prepared: boolean;
  /** Whether the prepared prompt needs a model request. */
  query: boolean;
  interruptRequested: boolean;
  /** Id of the user who requested the interrupt. */
  interruptedBy: string | null;
  /** The command of a prompt in bash mode was started. */
  ranShell: boolean;
  /** A hook blocked compaction for this turn. */
  compactionBlocked: boolean;
  readonly requestIds: string[];
  /** Consecutive failures of the current request. */
  failedAttempts: number;
  /** RFC 3339 time of the next retry. */
  retryAt: string | null;
  /** Version of the session's folder before its first change of it: what something else has changed until then is in it. */
  filesBefore: string | null;
  /** Uuids of the messages appended by this turn. */
  readonly messages: string[];
  /** Its tool calls by id. */
  readonly calls: Map<string, CallRecord>;
  /** Ids of the calls of its last answer, in order. */
  pendingCalls: readonly string[];
  /** Stop reason of an answer that ends the turn unless a Stop hook continues it. */
  finalStopReason: string | null;
  /** Number of continuations by Stop hooks. */
  continuations: number;
  /** Why the turn ends once its calls have results. */
  endReason: string | null;
}

export interface RequestRecord {
  readonly sent: SentRequest;
  readonly seq: number;
  readonly sentAt: string;
  status: 'open' | 'completed' | 'failed';
  providerRequestId: string | null;
  stopReason: string | null;
  usage: Usage | null;
  error: Failure | null;
  durationMs: number | null;
  inputTransformations?: readonly Json[];
  cacheDiagnostics?: Json;
}

export interface LastSent {
  readonly request: SentRequest;
  /** Uuids of the messages that it was made from; null: what it was made from was erased. */
  readonly conversation: readonly string[] | null;
  readonly sentAt: string;
  readonly digests: PrefixDigests;
}

export interface PromptRecord {
  readonly submission: Submission;
  readonly submittedAt: string;
  readonly by: string;
  status: 'answered' | 'queued' | 'started' | 'withdrawn';
  turnId: string | null;
}

export interface MessageRecord {
  readonly message: StoredMessage;
  readonly seq: number;
  /** Number of messages before it on its branch. */
  readonly depth: number;
  readonly turnId: string | null;
  readonly promptId: string | null;
  /** Version of the session's folder when it was appended, with what something else had changed until then. */
  files: string | null;
  /** Version that a rewind to before it goes to; absent: that of its parent. */
  filesBefore?: string | null;
  /** The user who submitted it, or requested the interruption that it reports; null for messages of model, tools and server. */
  readonly userId: string | null;
}

export interface RewindRecord {
  readonly seq: number;
  readonly data: EventData['session.rewound'];
  readonly at: string;
  readonly by: string;
  restoredAt: string | null;
}

export interface RestoreRecord {
  readonly seq: number;
  readonly data: EventData['session.restored'];
  readonly at: string;
  readonly by: string;
}

/** Why a session starts or restarts: the `source` that SessionStart hooks receive with the next prompt. */
export type SessionSource = 'startup' | 'resume' | 'clear' | 'compact';

/**
 * State of a session, folded from its events. `evolve` updates it in place, since a copy per event would make long sessions quadratic. For every other caller
 * it is read-only, and valid only until the next await.
 */
export interface GlassRecord {
  readonly by: string;
  readonly at: string;
  readonly until: string;
  readonly reason: string;
}

export interface AccessRecord {
  /** `user:<id>` or `link:<id>`. */
  readonly reader: string;
  readonly via: AccessVia;
  /** Of `via` fork: the session that was made. */
  readonly fork?: string;
  /** The beginning of the hour, RFC 3339. */
  readonly hour: string;
  /** The first read in it. */
  readonly at: string;
}

export interface SessionState {
  /** Seq of the last event; 0: the session does not exist. */
  version: number;
  ownerId: string | null;
  /** Roles of users and groups, by principal: `user:<id>` or `group:<name>`. */
  readonly grants: Map<string, SessionRole>;
  /** Users with emergency access, and until when, milliseconds since the epoch. */
  readonly readers: Map<string, number>;
  readonly brokenGlass: GlassRecord[];
  /** Who has read without owning the session, by `accessKey`. */
  readonly accesses: Map<string, AccessRecord>;
  createdAt: string | null;
  updatedAt: string | null;
  /** Null: the session is not a fork. */
  forkedFrom: ForkedFrom | null;
  /** The call that it was created for; null: it is no helper. */
  parent: HelperParent | null;
  /** Of a fork of a helper, or of a fork of one: the call that the helper was created for. The session has no more rights than the helper. */
  boundBy: HelperParent | null;
  status: SessionStatus;
  settings: SessionSettings;
  /** A person has set the title, or taken it away. */
  titleChosen: boolean;
  readonly messages: Map<string, MessageRecord>;
  /** Uuid of the newest message of the current branch; null before the first. */
  head: string | null;
  /** The turn that runs or waits. */
  turn: Turn | null;
  readonly turns: Map<string, Turn>;
  /** Queued prompts in the order of acceptance. */
  queue: PromptRecord['submission'][];
  readonly prompts: Map<string, PromptRecord>;
  readonly requests: Map<string, RequestRecord>;
  /** By request id: the prefix that its answer, and signatures of thinking in it, depend on. Includes answers that a fork inherited. */
  readonly requestPrefixes: Map<string, RequestPrefix>;
  /** What an imported file says about requests that its program had sent. */
  readonly clientRecords: ClientRecords;
  /** The session file that a client keeps in it; null: none. */
  storedFile: StoredFile | null;
  /** The files of the session's folder, now and before. */
  readonly workspace: WorkspaceState;
  readonly rewinds: Map<string, RewindRecord>;
  readonly restores: RestoreRecord[];
  /** What each request recorded of its body. Null: it is not kept, as in states that are cached; a request is rebuilt from a copy of the state (`Sessions.loadAt`). */
  bodies: Map<string, SentBody | null> | null;
  /** The last request for an answer, with the digests of all its messages. */
  lastSent: LastSent | null;
  /** The server tools offered to the model. */
  serverTools: readonly ToolDefinition[];
  /** `source` for SessionStart hooks with the next prompt; null once they ran. */
  sessionStart: SessionSource | null;
  usage: { inputTokens: number; outputTokens: number; cacheReadTokens: number; cacheCreationTokens: number; requests: number };
  /** By id, in the order in which they were created. */
  readonly schedules: Map<string, ScheduleRecord>;
  /** By id, in the order in which they began. */
  readonly erasures: Map<string, ErasureRecord>;
  /** An erasure of the whole session has begun: nothing more is added to it. */
  erased: boolean;
  /** The legal hold; null: none. */
  hold: HoldRecord | null;
}

export interface ErasureRecord {
  readonly erasureId: string;
  readonly scope: ContentErased['scope'];
  /** Uuids; null: all. */
  readonly messages: readonly string[] | null;
  readonly reason: string | null;
  readonly by: string;
  readonly startedAt: string;
  /** Null: steps are missing. */
  endedAt: string | null;
  events: number;
  blobs: number;
  bytes: number;
}

export interface HoldRecord {
  readonly by: string;
  readonly at: string;
  readonly reason: string | null;
}

export function emptyState(): SessionState {
  return {
    version: 0,
    ownerId: null,
    grants: new Map(),
    readers: new Map(),
    brokenGlass: [],
    accesses: new Map(),
    createdAt: null,
    updatedAt: null,
    forkedFrom: null,
    parent: null,
    boundBy: null,
    status: 'idle',
    settings: NO_SETTINGS,
    titleChosen: false,
    messages: new Map(),
    head: null,
    turn: null,
    turns: new Map(),
    queue: [],
    prompts: new Map(),
    requests: new Map(),
    requestPrefixes: new Map(),
    bodies: null,
    clientRecords: { lines: [], requests: new Map(), blobs: new Map(), shapes: new Map() },
    storedFile: null,
    workspace: emptyWorkspace(),
    rewinds: new Map(),
    restores: [],
    lastSent: null,
    serverTools: [],
    sessionStart: null,
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0, requests: 0 },
    schedules: new Map(),
    erasures: new Map(),
    erased: false,
    hold: null,
  };
}
