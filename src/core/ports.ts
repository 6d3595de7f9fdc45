/**
 * What the core's callers need from outside. Abstract classes, so that the application can use them as injection tokens;
 * each has exactly one folder of adapters, and `app.module.ts` alone binds them.
 */
import type { ModelMessage, Usage } from './message/message.js';
import type { Actor, HookRun, NewEvent, SessionEvent } from './session/events.js';
import type { SessionState } from './session/state.js';
import type { SessionSummary } from './session/summary.js';
import type { Json } from './message/content.js';
import type { Gates } from './view/gates.js';

/** A running system's clock and source of ids; handed in so that rules stay pure and tests can hold time still. */
export abstract class Clock {
  /** Milliseconds since the epoch. */
  abstract now(): number;
  /** A fresh random uuid. */
  abstract uuid(): string;
}

/** Which gates are on, for one request: a snapshot, written down with the request it was used for. */
export abstract class GateSource {
  abstract snapshot(tenantId: string): Promise<Gates>;
}

/** Limits that commands and the turn engine hold callers and the model to. */
export abstract class Limits {
  abstract readonly maxPromptCharacters: number;
  abstract readonly maxQueuedPrompts: number;
  abstract readonly maxRequestsPerTurn: number;
  abstract readonly maxOutputTokens: number;
  abstract readonly modelAttempts: number;
  abstract readonly modelRetryMaxMs: number;
}

export abstract class Digest {
  /** SHA-256 of the text's UTF-8 bytes, hexadecimal. */
  abstract sha256(text: string): string;
}

// --- The store -------------------------------------------------------------------------------------------------------------------------------

/** Work to hand to the queue, in the same commit as the events that call for it. Carries ids only. */
export interface Job {
  readonly queue: 'turns';
  /** Unique for ever: handing the same job over twice is one job. No colon, not all digits. */
  readonly id: string;
  readonly payload: { readonly tenantId: string; readonly sessionId: string; readonly turnId: string };
}

export interface Append {
  readonly tenantId: string;
  readonly sessionId: string;
  /** The version the decision was made on; 0 = the session must not exist yet. */
  readonly expectedVersion: number;
  /** Names the command for ever: a second append under it changes nothing. */
  readonly commandId: string;
  /** SHA-256 (hexadecimal) of what was asked; the same command with another one is refused. */
  readonly requestHash: string;
  readonly actor: Actor;
  readonly events: readonly (NewEvent & { readonly id: string })[];
  readonly jobs: readonly Job[];
  /** The session list's row after these events, written in the same commit. */
  readonly summary: SessionSummary;
}

export type AppendOutcome =
  /** `events` are the given ones as recorded. */
  | { readonly kind: 'appended'; readonly events: readonly SessionEvent[] }
  /** The command had been carried out before: these seqs are its events. */
  | { readonly kind: 'duplicate'; readonly firstSeq: number; readonly lastSeq: number }
  | { readonly kind: 'key_reused' }
  | { readonly kind: 'conflict'; readonly version: number }
  | { readonly kind: 'not_found' };

export interface Receipt {
  readonly sessionId: string;
  readonly requestHash: string;
  readonly firstSeq: number;
  readonly lastSeq: number;
}

export interface Audit {
  readonly events: number;
  readonly headHash: string | null;
  readonly valid: boolean;
  /** Seq of the first event whose link, digest or number is wrong. */
  readonly firstBad?: number;
}

export interface FeedCursor {
  readonly transaction: string;
  readonly position: string;
}

export abstract class EventStore {
  abstract append(append: Append): Promise<AppendOutcome>;
  /** Events with `after < seq <= upTo`, in order. An unknown or foreign session has none. */
  abstract load(tenantId: string, sessionId: string, after?: number, upTo?: number): Promise<readonly SessionEvent[]>;
  /** The same, at most `limit` of them: for readers that page. */
  abstract page(tenantId: string, sessionId: string, after: number, limit: number): Promise<readonly SessionEvent[]>;
  abstract receipt(tenantId: string, commandId: string): Promise<Receipt | null>;
  /** Every tenant's events in commit order, for catch-up readers. */
  abstract feed(cursor: FeedCursor | null, limit: number): Promise<{ readonly events: readonly SessionEvent[]; readonly cursor: FeedCursor | null }>;
  /** Whether a session's log has more events than that, or more bytes of data; told without reading it. */
  abstract exceeds(tenantId: string, sessionId: string, most: { readonly events: number; readonly bytes: number }): Promise<boolean>;
  /** Recomputes the hash chain from what is stored. Null for an unknown or foreign session. */
  abstract verify(tenantId: string, sessionId: string): Promise<Audit | null>;
}

/**
 * Sessions as of now. What comes back is shared and moves forward when the log does: read it before the next await, or load it again.
 */
export abstract class Sessions {
  /** Version 0 when there is no such session for this tenant. Always includes every event committed before the call. */
  abstract load(tenantId: string, sessionId: string): Promise<SessionState>;
  /** As it stood at `seq`, not shared. */
  abstract loadAt(tenantId: string, sessionId: string, seq: number): Promise<SessionState>;
  /** The session after events that were just appended, without asking the log; null when too little is known of it. */
  abstract advance(tenantId: string, sessionId: string, events: readonly SessionEvent[]): SessionState | null;
}

export interface SessionListPage {
  readonly data: readonly (SessionSummary & { readonly id: string; readonly createdAt: string; readonly updatedAt: string })[];
  readonly nextCursor: string | null;
}

export abstract class SessionList {
  /** Newest activity first. `userId` null = every user of the tenant. A cursor that is not ours is refused with `invalid_input`. */
  abstract list(tenantId: string, userId: string | null, limit: number, cursor: string | null): Promise<SessionListPage>;
  /** Sessions whose turn has made no step since `before` (milliseconds): their work may have been lost on the way. */
  abstract stalled(before: number, limit: number): Promise<readonly { readonly tenantId: string; readonly sessionId: string; readonly turnId: string }[]>;
}

// --- Hand-over of work -----------------------------------------------------------------------------------------------------------------------

export interface ClaimedJob extends Job {
  readonly claim: string;
}

/** Jobs committed with their events and not yet handed to the queue. */
export abstract class Outbox {
  /** Takes up to `limit` jobs for `leaseMs`; whoever does not confirm in time leaves them to the next taker. */
  abstract claim(limit: number, leaseMs: number): Promise<readonly ClaimedJob[]>;
  abstract confirm(claims: readonly string[]): Promise<void>;
}

export interface JobContext {
  /** Aborted when the process is about to stop or the job was taken away. */
  readonly signal: AbortSignal;
}

/** At-least-once delivery of jobs to workers. */
export abstract class JobQueue {
  abstract add(jobs: readonly Job[]): Promise<void>;
  /** Starts to take jobs, `concurrency` at a time. One handler per process. */
  abstract work(concurrency: number, handle: (job: Job, context: JobContext) => Promise<void>): Promise<void>;
  /** Takes no further jobs, waits up to `graceMs` for the running ones, then aborts their signals and leaves them to another worker. */
  abstract stop(graceMs: number): Promise<void>;
  /** Rejects when the queue cannot be reached. */
  abstract ping(): Promise<void>;
}

// --- Live updates ----------------------------------------------------------------------------------------------------------------------------

/** `advanced`: look into the log, it reaches at least `seq`. `delta`: a piece of something unsettled, gone if nobody listens. */
export type LiveSignal =
  | { readonly kind: 'advanced'; readonly sessionId: string; readonly seq: number }
  | { readonly kind: 'delta'; readonly sessionId: string; readonly type: 'message.delta' | 'tool.progress' | 'queue.changed'; readonly data: Json };

/** A hint to every process that may care; losing one costs a delay, never data. */
export abstract class LiveBus {
  /** Returns at once; delivery to this process's own subscribers is immediate, to others it follows. */
  abstract publish(signal: LiveSignal): void;
  /** Work waits in the outbox. */
  abstract nudge(): void;
  abstract subscribe(sessionId: string, listener: (signal: LiveSignal) => void): () => void;
  abstract onNudge(listener: () => void): () => void;
  abstract ping(): Promise<void>;
}

// --- The model -------------------------------------------------------------------------------------------------------------------------------

export interface ModelRequest {
  /** The request body, serialised once. These very bytes are hashed, recorded and sent. */
  readonly body: string;
  readonly requestId: string;
  /** Counts the requests of a turn from 1. */
  readonly ordinal: number;
}

/** A piece of the answer while it streams: the API's own delta, and the block it belongs to. */
export interface ModelDelta {
  readonly index: number;
  /** The block's first form; only with the block's first delta. */
  readonly start?: Json;
  readonly delta?: Json;
}

export interface ModelAnswer {
  readonly message: ModelMessage;
  readonly usage: Usage;
  /** The provider's id for the request. */
  readonly providerRequestId: string | null;
}

/** The provider refused, failed, or the stream broke. What had arrived is in `partial`. */
export class ModelError extends Error {
  override readonly name = 'ModelError';

  constructor(
    /** The API's error type, such as `overloaded_error`; `connection_error` or `stream_cut` when no answer came to its end. */
    readonly code: string,
    message: string,
    readonly status: number | null,
    readonly retryable: boolean,
    readonly retryAfterMs: number | null = null,
    readonly providerRequestId: string | null = null,
    readonly partial: ModelMessage | null = null,
  ) {
    super(message);
  }
}

export abstract class Model {
  /** Streams one answer. Throws ModelError; when `signal` aborts, a ModelError of code `aborted` with what had arrived. */
  abstract answer(request: ModelRequest, onDelta: (delta: ModelDelta) => void, signal: AbortSignal): Promise<ModelAnswer>;
  /** What answers, for logs and health: `anthropic` or `offline`. */
  abstract readonly provider: 'anthropic' | 'offline';
}

// --- Hooks -----------------------------------------------------------------------------------------------------------------------------------

export interface HookCall {
  readonly event: string;
  readonly sessionId: string;
  readonly permissionMode: string;
  /** What a matcher is tried on, such as the tool's name. */
  readonly subject?: string;
  /** Further members of the JSON the hook reads, snake_case as in the public hooks reference. */
  readonly input: { readonly [key: string]: Json };
  readonly workload?: string;
}

export abstract class Hooks {
  /** Runs every matching hook side by side; one that fails, floods or hangs is an outcome, never an exception. */
  abstract run(call: HookCall, signal: AbortSignal): Promise<readonly HookRun[]>;
  abstract configured(): readonly { readonly event: string; readonly matcher: string | null; readonly type: string; readonly command?: string; readonly timeoutMs: number }[];
}

// --- Who is asking ---------------------------------------------------------------------------------------------------------------------------

/** The caller behind a request. An `admin` sees every session of the tenant, a `member` the own ones. */
export interface Principal {
  readonly tenantId: string;
  readonly userId: string;
  readonly role: 'admin' | 'member';
  /** Absent for a signed (JWT) identity. */
  readonly tokenId?: string;
}

export interface TokenInfo {
  readonly id: string;
  readonly name: string | null;
  readonly userId: string;
  readonly role: 'admin' | 'member';
  readonly createdAt: string;
  readonly expiresAt: string | null;
}

export abstract class Accounts {
  /** Null when the token is unknown, revoked or expired. */
  abstract principal(token: string): Promise<Principal | null>;
  /** The identity a trusted issuer vouches for; tenant and user are made at first sight. Names may be any text. */
  abstract vouched(tenant: string, user: string, role: 'admin' | 'member'): Promise<Principal>;
  abstract describe(principal: Principal): Promise<{ readonly tenantName: string; readonly userName: string }>;
  /** `userName`: another user of the tenant, made when unknown; absent: the caller. The token itself is only ever in this answer. */
  abstract createToken(
    principal: Principal,
    token: { readonly name: string | null; readonly userName?: string; readonly role: 'admin' | 'member'; readonly expiresAt: string | null },
  ): Promise<TokenInfo & { readonly token: string }>;
  /** False when there is no such token in the caller's reach. */
  abstract revokeToken(principal: Principal, tokenId: string): Promise<boolean>;
  abstract createTenant(name: string, userName: string): Promise<{ readonly tenantId: string; readonly userId: string; readonly token: string }>;
  abstract tenants(): Promise<number>;
}

// --- Heavy work ------------------------------------------------------------------------------------------------------------------------------

/** A question whose answer takes so long to work out that nobody else may have to wait meanwhile. Plain data, `body` being a request's as it came. */
export type HeavyTask =
  | { readonly kind: 'normalize'; readonly body: Uint8Array }
  | { readonly kind: 'payload'; readonly principal: Principal; readonly sessionId: string; readonly input: { readonly model?: string; readonly at?: number } }
  | { readonly kind: 'request'; readonly principal: Principal; readonly sessionId: string; readonly requestId: string };

export interface HeavyAnswer {
  /** The answer as JSON, in UTF-8. */
  readonly json: Uint8Array;
  /** The `version` in it; null when it has none. */
  readonly version: number | null;
}

/**
 * Works such questions out elsewhere. Refuses what the question itself is refused with; with `unavailable` when too many wait or it takes too long, with
 * `payload_too_large` when it needs too much memory: neither harms anything but that one answer.
 */
export abstract class HeavyWork {
  abstract run(task: HeavyTask): Promise<HeavyAnswer>;
}

// --- Watching ourselves ----------------------------------------------------------------------------------------------------------------------

export type Labels = Readonly<Record<string, string>>;

/** What is counted, timed and gauged; the adapter knows each one's help text and labels. */
export type CounterName = 'http_requests' | 'turns' | 'model_requests' | 'model_tokens' | 'hook_runs' | 'prompt_keywords';
export type TimerName = 'http_request_seconds' | 'turn_seconds' | 'model_request_seconds';
export type GaugeName = 'event_streams';

export abstract class Telemetry {
  /** Everything logged while `work` runs, and by what it starts, carries these fields and those of the calls around it. */
  abstract within<T>(fields: Labels, work: () => T): T;
  /** The fields in force here, such as `requestId` and `workload`. */
  abstract fields(): Labels;
  abstract count(name: CounterName, labels: Labels, by?: number): void;
  abstract observe(name: TimerName, labels: Labels, seconds: number): void;
  abstract gauge(name: GaugeName, value: number): void;
  /** All figures in the Prometheus text format. */
  abstract exposition(): Promise<{ readonly contentType: string; readonly text: string }>;
}
