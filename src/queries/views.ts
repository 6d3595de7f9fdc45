import type { Content, Json } from '../core/message/content.js';
import type { Message, PermissionMode, Usage } from '../core/message/message.js';
import type { Checkpoints, Failure, SentRequest, SessionEvent } from '../core/session/events.js';
import type { SessionView } from '../core/session/session-view.js';
import type { CallRecord, SessionState, TurnStatus } from '../core/session/state.js';
import type { SessionListRow } from '../core/session/session-row.js';
import type { CallStatus } from '../core/session/tool-calls.js';
import type { Payload, TraceEntry } from '../core/normalize/payload.js';
import type { ClientTool } from '../core/message/tool-definition.js';

/** What the API answers about a session. Times are RFC 3339, UTC; `version` is the seq of the last event the answer knows of. */

export type { SessionView };

export interface SessionListView {
  readonly data: readonly (SessionListRow & { readonly id: string; readonly createdAt: string; readonly updatedAt: string })[];
  readonly nextCursor: string | null;
}

export interface MessagesInput {
  readonly view: 'transcript' | 'full';
  /** One block per message, each under its own uuid. */
  readonly split: boolean;
  /** With a tombstone for what each rewind took out. */
  readonly tombstones: boolean;
  /** So many entries from the first on were seen already. */
  readonly after: number;
  readonly limit: number;
}

/** `nextCursor`: what to give as `after` for the next page; null at the end. */
export interface MessagesView {
  readonly version: number;
  readonly data: readonly Message[];
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
  /** `queued`: its prompt still waits. */
  readonly status: TurnStatus | 'queued';
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly stopReason: string | null;
  readonly error: Failure | null;
  readonly checkpoints: Checkpoints;
  readonly requests: readonly RequestSummary[];
  readonly toolCalls: readonly ToolCallView[];
  readonly usage: SessionState['usage'];
}

/** A tool call of a turn. `awaiting_decision`: a person has to decide, `reason` says why; `awaiting_client`: the client has to post its result. */
export interface ToolCallView {
  readonly toolUseId: string;
  readonly name: string;
  /** As it is run, or would be. */
  readonly input: Json;
  /** As the model wrote it, when it was changed since. */
  readonly requestedInput?: Json;
  readonly runBy: CallRecord['runBy'];
  readonly status: Exclude<CallStatus, 'deferred'>;
  readonly decision: CallRecord['decision'];
  readonly decidedBy: CallRecord['decidedBy'];
  readonly reason: string | null;
  readonly startedAt: string | null;
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
    /** What it waits for: the turn before it is at work, or waits for its client or for a person itself. */
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
    readonly at: string;
    readonly by: string;
    readonly restoredAt: string | null;
  }[];
}

/** What a strict reading of the model API's rules would refuse. */
export interface PayloadProblem {
  readonly rule: string;
  readonly at: string;
  readonly text: string;
}

export interface NormalizedView {
  readonly payload: Payload;
  readonly digest: string;
  readonly trace: readonly TraceEntry[];
  readonly problems: readonly PayloadProblem[];
  /** Where the payload stops being a continuation of the session's earlier requests, and what did it. */
  readonly breaks: readonly {
    readonly requestId: string;
    readonly message: number;
    readonly cause: string;
    readonly source?: NonNullable<TraceEntry['source']>;
  }[];
}

export type PayloadView = NormalizedView & { readonly version: number };

export interface RequestSummary {
  readonly requestId: string;
  readonly turnId: string;
  readonly ordinal: number;
  /** `compaction`: for the summary of the conversation. */
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
}

export interface RequestsView {
  readonly version: number;
  readonly data: readonly RequestSummary[];
}

export interface RequestView extends RequestSummary {
  readonly version: number;
  readonly sent: SentRequest;
  /** The transcript the payload was made from. */
  readonly original: readonly Message[];
  readonly payload: Payload;
  /** Of the payload as rebuilt now; `verified`: it equals the one recorded when it was sent. */
  readonly digest: string;
  readonly recordedDigest: string;
  readonly verified: boolean;
  readonly trace: readonly TraceEntry[];
  /**
   * `shared`: how many leading messages the request before it had sent already. `cause`: what made the two differ after that, and with a pass the block
   * it treated otherwise. `lostTokens`: what the provider's cache held of the earlier one and did not give for this one.
   */
  readonly prefix: { readonly shared: number; readonly cause?: string; readonly source?: NonNullable<TraceEntry['source']>; readonly lostTokens?: number };
}

export interface ExportView {
  readonly version: number;
  /** Values to write one a line: the settings first, then every message of the path in force, as it is stored, but for images and documents, which bring their bytes. */
  readonly lines: AsyncIterable<object>;
}

export interface AuditView {
  readonly version: number;
  readonly events: number;
  readonly headHash: string | null;
  readonly valid: boolean;
  readonly firstInvalidSeq?: number;
  /** Of a fork: the logs it goes on from, nearest first, each up to the version it was forked at. All of them are part of `valid`. */
  readonly parents?: readonly { readonly sessionId: string; readonly seq: number; readonly headHash: string; readonly valid: boolean }[];
}

/** Input of the stateless dry run. `messages` are ours or plain API messages; what each holds is read by the view itself. */
export interface NormalizeInput {
  readonly messages: readonly { readonly [key: string]: Json }[];
  readonly system?: string | null;
  readonly tools?: readonly ClientTool[];
  readonly gates?: Readonly<Record<string, boolean>>;
  readonly model?: string;
  readonly userContext?: Readonly<Record<string, string>>;
  readonly systemContext?: Readonly<Record<string, string>>;
}

export interface SyntheticView {
  readonly version: number;
  readonly synthetic: boolean;
}
