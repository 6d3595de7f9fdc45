import type { ModelOptions } from '../../../packages/protocol/message/model-options.js';
import type { ChangedOption } from '../../../packages/protocol/message/model-options.js';
import type { erasuresView } from '../../session/state/erasure-view.js';
import type { InclusionView } from '../audit/transparency-queries.js';
import type { Content, Json } from '../../../packages/protocol/message/content.js';
import type { Message, PermissionMode, Usage } from '../../../packages/protocol/message/message.js';
import type { Checkpoints, Failure, SessionEvent } from '../../../packages/protocol/events/events.js';
import type { LeftBranch } from '../../session/state/branches.js';
import type { Branch } from '../../session/transcript/branches.js';
import type { ScheduleView } from '../../session/state/schedule-view.js';
import type { SessionView } from '../../session/state/session-view.js';
import type { CallRecord, SessionState, TurnStatus } from '../../session/state/state.js';
import type { FaultKind } from '../../../packages/protocol/events/tampered.js';
import type { SessionListItem } from '../../ports/index.js';
import type { CallStatus } from '../../session/state/tool-calls.js';
import type { PlacedMarker } from './client-payload.js';
import type { ReceivedThread } from '../../../packages/protocol/request/recorded-request.js';
import type { TraceEntry } from '../../../packages/protocol/request/trace-entry.js';
import type { SentRequest } from '../../../packages/protocol/events/sent-request.js';
import type { Payload } from '../../../packages/normalizer/payload.js';
import type { ClientTool } from '../../../packages/protocol/message/tool-definition.js';

/** Response views of a session. Times are RFC 3339, UTC; `version` is the seq of the last event that the view includes. */

export type { SessionView };

export interface SessionListView {
  readonly data: readonly SessionListItem[];
  readonly nextCursor: string | null;
}

export interface MessagesInput {
  readonly view: 'transcript' | 'full';
  /** One block per message, each under its own uuid. */
  readonly split: boolean;
  /** With a tombstone for the messages that each rewind removed. */
  readonly tombstones: boolean;
  /** With what the log says about turns and their calls: `turn_duration` and `tool_use_summary`. */
  readonly notes: boolean;
  /** Number of entries to skip; `newest`: all but the newest `limit`. */
  readonly after: number | 'newest';
  readonly limit: number;
}

/** `position`: number of entries before the page. `nextCursor`: value of `after` for the next page; null at the end. */
export interface MessagesView {
  readonly version: number;
  readonly data: readonly Message[];
  readonly position: number;
  readonly nextCursor: string | null;
}

export interface EventsView {
  readonly version: number;
  readonly data: readonly SessionEvent[];
  readonly nextCursor: string | null;
}

export interface TurnView {
  readonly version: number;
  readonly turnId: string;
  readonly promptId: string;
  /** `queued`: its prompt is still in the queue. */
  readonly status: TurnStatus | 'queued';
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly stopReason: string | null;
  /** Of a refusal, what the API said about it. */
  readonly stopDetails: Json;
  readonly error: Failure | null;
  readonly checkpoints: Checkpoints;
  readonly requests: readonly RequestSummary[];
  readonly toolCalls: readonly ToolCallView[];
  readonly usage: SessionState['usage'];
}

/** A tool call of a turn. `awaiting_decision`: a user has to decide, `reason` says why; `awaiting_client`: the client has to post its result; `awaiting_helper`: the session `helper` carries it out. */
export interface ToolCallView {
  readonly toolUseId: string;
  readonly name: string;
  /** The input that the tool gets. */
  readonly input: Json;
  /** The model's input, when a hook or user changed it. */
  readonly requestedInput?: Json;
  readonly runBy: CallRecord['runBy'];
  readonly status: Exclude<CallStatus, 'deferred'>;
  readonly decision: CallRecord['decision'];
  readonly decidedBy: CallRecord['decidedBy'];
  readonly reason: string | null;
  readonly startedAt: string | null;
  readonly helper: CallRecord['helper'];
  readonly endedAt: string | null;
  readonly outcome: CallRecord['outcome'];
  readonly isError: boolean | null;
  readonly durationMs: number | null;
  readonly resultUuid: string | null;
}

export interface QueueView {
  readonly version: number;
  readonly data: readonly {
    readonly promptId: string;
    readonly turnId: string;
    readonly position: number;
    /** What it waits for: the current turn runs, or waits for the client or a user. */
    readonly reason: 'turn_running' | 'turn_waiting';
    readonly mode: 'prompt' | 'bash' | 'compact';
    readonly input: Content;
    readonly submittedAt: string;
    readonly by: string;
  }[];
}

export interface RewindsView {
  readonly version: number;
  readonly data: readonly {
    readonly id: string;
    readonly before?: string;
    readonly after?: string;
    readonly from: string | null;
    readonly to: string | null;
    readonly removed: readonly string[];
    readonly permissionMode: PermissionMode;
    readonly reason: string | null;
    readonly cause?: 'edit' | 'regenerate';
    readonly replacedBy?: string;
    readonly at: string;
    readonly by: string;
    readonly restoredAt: string | null;
  }[];
}

export interface SchedulesView {
  readonly version: number;
  readonly data: readonly ScheduleView[];
}

export type ErasuresView = ReturnType<typeof erasuresView>;

export interface BranchesView {
  readonly version: number;
  readonly data: readonly (Omit<Branch, 'tip' | 'begins' | 'insteadOf' | 'first' | 'left'> & {
    readonly tip: string;
    readonly begins: { readonly uuid: string; readonly timestamp: string } | null;
    readonly insteadOf: { readonly uuid: string; readonly timestamp: string } | null;
    readonly first: { readonly uuid: string; readonly preview: string } | null;
    /** Time of its newest message. */
    readonly updatedAt: string;
    /** `files`: whether they went back when it was left. */
    readonly left: (Omit<LeftBranch, 'files'> & { readonly files: boolean }) | null;
  })[];
}

/** A violation of the model API's rules. */
export interface PayloadProblem {
  readonly rule: string;
  readonly at: string;
  readonly text: string;
}

export interface NormalizedView {
  readonly payload: Payload;
  /** The payload as it is sent; the answer has this text as its member `payload`. */
  readonly body: string;
  readonly digest: string;
  readonly trace: readonly TraceEntry[];
  readonly problems: readonly PayloadProblem[];
  readonly changedOptions: readonly ChangedOption[];
  /** Where the payload stops extending the session's previous request, and why. */
  readonly breaks: readonly {
    readonly requestId: string;
    readonly message: number;
    readonly cause: string;
    readonly source?: NonNullable<TraceEntry['source']>;
  }[];
  /** What of the messages was read in another form, or ignored. */
  readonly notes: readonly { readonly pointer: string; readonly detail: string }[];
}

export type PayloadView = Omit<NormalizedView, 'notes'> & { readonly version: number };

export interface RequestSummary {
  readonly requestId: string;
  readonly turnId: string;
  readonly ordinal: number;
  /** `compaction`: a request for a summary of the conversation. */
  readonly purpose: 'answer' | 'compaction';
  readonly seq: number;
  readonly at: number;
  readonly model: string;
  readonly digest: string;
  readonly bytes: number;
  readonly status: 'open' | 'completed' | 'failed';
  readonly sentAt: string;
  readonly stopReason: string | null;
  readonly usage: Usage | null;
  readonly error: Failure | null;
  readonly durationMs: number | null;
  readonly providerRequestId: string | null;
  /** The client that sent it through the Anthropic door, as it names itself; null: the server made the request. */
  readonly origin: NonNullable<SentRequest['origin']> | null;
  /** It went out with repairs; null: as it was made. */
  readonly repair: NonNullable<SentRequest['repair']> | null;
}

export interface PricedRequest extends RequestSummary {
  /** US dollars by the prices of now; null without a usage. */
  readonly cost: number | null;
}

export interface RequestsView {
  readonly version: number;
  readonly data: readonly PricedRequest[];
  /** What the program that wrote an imported file had sent, in the order of its lines. */
  readonly client: readonly ClientRequestSummary[];
}

type JsonObject = { readonly [name: string]: Json };

/** A request that an imported file has a record of. */
export interface ClientRequestSummary {
  readonly requestId: string;
  readonly recordedBy: 'client';
  /** As the file has it. */
  readonly clientId: string | null;
  readonly seq: number;
  /** Of the file. */
  readonly line: number;
  readonly model: string | null;
  readonly sentAt: string | null;
  readonly querySource: string | null;
  readonly erased: boolean;
}

export interface ClientRequestView extends ClientRequestSummary {
  readonly version: number;
  /** The request that it continues, by the id that the file has, and how many of its messages it has. */
  readonly base: string | null;
  readonly keep: number;
  /** As the file has them: nothing proves them. */
  readonly parameters: JsonObject;
  readonly betas: readonly string[];
  readonly markers: readonly PlacedMarker[];
  /** By a formula of the program's own: it is not compared. */
  readonly recordedDigest: string | null;
  /** The stored messages that its messages were found in. */
  readonly original: readonly Message[];
  /** Each message with its hash and the line that names it. `file`: from the line; `transcript`: from the messages with these uuids; null: not found. */
  readonly parts: readonly {
    readonly hash: string | null;
    readonly namedAt: number;
    readonly from: 'file' | 'transcript' | null;
    readonly line: number | null;
    readonly uuids: readonly string[];
  }[];
  /** System prompt and tools, and the line that has them. */
  readonly shape: { readonly hash: string | null; readonly line: number | null };
  /** Null: it was erased, or not everything of it was found. */
  readonly payload: JsonObject | null;
  readonly body: string;
  /** What `verified` says: each message, and system prompt and tools, have the recorded hash in their canonical form. The bytes that were sent are not known. */
  readonly proof: 'canonical';
  readonly verified: boolean | null;
  readonly fault: string | null;
}

export interface RequestView extends PricedRequest {
  readonly version: number;
  readonly recordedBy: 'server';
  /** The gates that it was built with. */
  readonly gates: Readonly<Record<string, boolean>>;
  /** The transcript the payload was made from. */
  readonly original: readonly Message[];
  /** Null: its content was erased, or there is a fault. */
  readonly payload: Payload | null;
  /** The payload as it was sent; the answer has this text as its member `payload`. */
  readonly body: string;
  /** Digest of the body as the log has it, empty without one; `verified`: it equals the one that was recorded when it was sent. */
  readonly digest: string;
  readonly recordedDigest: string;
  /** Why the request cannot be rebuilt from the log: what is missing, and where. Null: nothing is. */
  readonly fault: string | null;
  /** Null: content of the request was erased since. */
  readonly verified: boolean | null;
  readonly erased: boolean;
  readonly changedOptions: readonly ChangedOption[];
  readonly trace: readonly TraceEntry[];
  /** Of a client's request that is part of a message thread: what the client sent. */
  readonly thread: ReceivedThread | null;
  /** Changes that the API made to the input, as it reported them; null: it reported none. */
  /** Values of the `anthropic-beta` header that it was sent with. */
  readonly betas: readonly string[];
  readonly inputTransformations: readonly Json[] | null;
  /** Why the provider's prompt cache was missed, as it reported it. */
  readonly cacheDiagnostics: Json;
  /**
   * `shared`: number of leading messages shared with the previous request. `cause`: why the two differ after that, with a pass the block it treated
   * differently. `lostTokens`: cached tokens of the previous request that this one could not use; `lostCost`: what that cost in US dollars, null without a price. Null: this request or the one before it was made by a client, and the
   * two are not compared.
   */
  readonly prefix: {
    readonly shared: number;
    readonly cause?: string;
    readonly source?: NonNullable<TraceEntry['source']>;
    readonly lostTokens?: number;
    readonly lostCost?: number | null;
  } | null;
}

export interface ExportView {
  readonly version: number;
  /** Values to write one per line: the settings, then the messages as stored, with images and documents inline, and the moves between branches. */
  readonly lines: AsyncIterable<object>;
}

/** The first thing that is wrong: with the log (see FaultKind), its row of the session list, its files, its requests, its continuation of what was audited earlier, or its place in the transparency log. */
export type AuditFinding = FaultKind | 'row' | 'file' | 'request' | 'set_back' | 'transparency_log';

export interface AuditView {
  readonly version: number;
  readonly events: number;
  readonly headHash: string | null;
  readonly valid: boolean;
  readonly finding?: AuditFinding;
  /** The position of the first event that is missing, was altered or was added outside the server. */
  readonly firstInvalidSeq?: number;
  /** How many of the events are erased: they are unchanged except that their content is gone. */
  readonly erased: number;
  /** Whether the row of the session list is that of the log. */
  readonly rowMatches: boolean;
  /** The files that messages refer to, and the SHA-256 of those that are gone or have other bytes. */
  readonly files: { readonly checked: number; readonly invalid: readonly string[] };
  /** The newest requests, rebuilt from what the log has of them, and those that are not as they were sent; absent when none was asked for. */
  readonly requests?: {
    readonly checked: number;
    /** How many of these are erased. */
    readonly erased: number;
    readonly invalid: readonly { readonly requestId: string; readonly seq: number; readonly problem: string }[];
  };
  /** The log does not continue what this process has audited earlier, or serves. */
  readonly setBack?: true;
  /** Of a fork: its ancestor logs, nearest first, each up to the forked version. `valid` includes them. */
  readonly parents?: readonly { readonly sessionId: string; readonly seq: number; readonly headHash: string; readonly valid: boolean }[];
  readonly transparencyLog?: LoggedView;
  /** That the newest of `transparencyLog.events` is in the tree; null when there is none. */
  readonly proof?: InclusionView | null;
}

/** How a session's events compare with the transparency log. */
export interface LoggedView {
  /** The number of events, from the first on, that are in the tree of the checkpoint, unchanged. */
  readonly events: number;
  readonly matches: boolean;
  /** The position of the first event that is not the one in the tree. */
  readonly firstMismatch?: number;
  /** What is wrong with the transparency log as a whole. */
  readonly problem?: string;
  readonly checkpoint: { readonly size: number; readonly createdAt: string } | null;
  /** The newest checkpoint that was put outside the database, and how many events of the session it covers. */
  readonly anchored: { readonly size: number; readonly at: string; readonly events: number } | null;
}

export interface TenantAuditView {
  readonly valid: boolean;
  readonly data: readonly {
    readonly sessionId: string;
    readonly valid: boolean;
    readonly events: number;
    readonly rowMatches: boolean;
    readonly finding?: AuditFinding;
    readonly firstInvalidSeq?: number;
  }[];
  readonly checkpoint: LoggedView['checkpoint'];
  readonly nextCursor: string | null;
}

/** Input of the stateless dry run. `messages`: stored messages or plain API messages; their content is validated by the normalizer. */
export interface NormalizeInput {
  readonly messages: readonly { readonly [key: string]: Json }[];
  readonly system?: string | null;
  readonly tools?: readonly ClientTool[];
  readonly gates?: Readonly<Record<string, boolean>>;
  readonly model?: string;
  readonly modelOptions?: ModelOptions;
  readonly userContext?: Readonly<Record<string, string>>;
  readonly systemContext?: Readonly<Record<string, string>>;
}

export interface SyntheticView {
  readonly version: number;
  readonly synthetic: boolean;
}
