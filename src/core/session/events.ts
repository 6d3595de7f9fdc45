import type { Submission } from '../intake/submission.js';
import type { Json } from '../message/content.js';
import type { PermissionMode, StoredMessage, Usage } from '../message/message.js';

/** A tool the client brought: the model may call it, the client answers. The shape is the model API's. */
export interface ClientTool {
  readonly name: string;
  readonly description?: string;
  readonly input_schema: { readonly [key: string]: Json };
}

/** What a session is set to. All of it feeds the payload except `title` and `metadata`. */
export interface SessionSettings {
  readonly title: string | null;
  readonly model: string;
  readonly system: string | null;
  /** Named texts shown to the model in front of the conversation. */
  readonly context: Readonly<Record<string, string>>;
  /** Named values at the end of the system prompt. */
  readonly systemContext: Readonly<Record<string, string>>;
  readonly permissionMode: PermissionMode;
  readonly tools: readonly ClientTool[];
  readonly metadata: { readonly [key: string]: Json };
}

/** Who caused an event. `system` is the worker acting on somebody's earlier command. */
export interface Actor {
  readonly kind: 'user' | 'system';
  readonly id: string;
}

/** Milliseconds since the epoch at which a stage of a prompt's way began or ended, under the stage's public label. */
export type Checkpoints = readonly { readonly label: string; readonly at: number }[];

/** Why a request or a turn went wrong, in words a user can be shown. `code` is stable. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  /** HTTP status of the model API, when it answered. */
  readonly status?: number;
  /** The provider's id of the failed request, when it gave one. */
  readonly providerRequestId?: string;
}

export type HookOutcome = 'success' | 'blocked' | 'prevented' | 'non_blocking_error' | 'timeout';

export interface HookRun {
  readonly hookRunId: string;
  /** The hook event it ran for, such as `UserPromptSubmit`. */
  readonly event: string;
  readonly hook: { readonly type: string; readonly command?: string; readonly url?: string; readonly matcher?: string };
  readonly input: Json;
  readonly outcome: HookOutcome;
  readonly exitCode: number | null;
  /** Of a hook that is called over http and answered. */
  readonly httpStatus?: number;
  readonly durationMs: number;
  /** What it printed, or answered. */
  readonly stdout: string;
  readonly stderr: string;
  /** What it said about the event, when it said something. */
  readonly reason?: string;
  readonly additionalContext?: string;
  /** What it wants the user to be told. */
  readonly systemMessage?: string;
  /** What it says of a tool call. */
  readonly decision?: 'allow' | 'deny' | 'ask';
  /** The call's input as the hook wants it, in place of the whole of it. */
  readonly updatedInput?: { readonly [key: string]: Json };
  /** The prompt as the hook wants it sent; what was typed stays in the log. */
  readonly updatedPrompt?: string;
}

/** SHA-256 (hexadecimal) of a request's parts, cache markers apart: where two requests differ shows at once. */
export interface PrefixDigests {
  readonly system: string;
  readonly tools: string;
  /** Each of a message together with the digest before it: the last one stands for all of them. */
  readonly messages: readonly string[];
  /** Of the last messages, the digest of each block: they may have grown by the next request. */
  readonly tail: readonly (readonly string[])[];
}

/** All that stands in front of an answer, in three digests. */
export interface Front {
  readonly system: string;
  readonly tools: string;
  /** The digest of the last message; empty in front of the first one. */
  readonly messages: string;
}

/** The same as the log keeps it: of the messages only those from `shared` on, since the first ones are the request's before it. A log must not grow by the whole conversation with each request. */
export interface PrefixRecord extends PrefixDigests {
  readonly shared: number;
}

/** A call of the model as it went out. With the log up to `at`, this rebuilds the payload byte for byte. */
export interface SentRequest {
  readonly requestId: string;
  readonly turnId: string;
  /** Counts the requests of a turn from 1. */
  readonly ordinal: number;
  /** The payload is a function of the events up to this seq. */
  readonly at: number;
  readonly model: string;
  readonly profile: string;
  readonly gates: Readonly<Record<string, boolean>>;
  readonly normalizer: string;
  readonly maxTokens: number;
  /** SHA-256 of the request body, hexadecimal. */
  readonly digest: string;
  readonly bytes: number;
  readonly prefix: PrefixRecord;
}

/** Whose file was imported. */
export type ImportSource = 'verbatim' | 'claude-code';

export interface SkippedLine {
  /** Counts from 1. */
  readonly line: number;
  /** Says nothing of what the line holds. */
  readonly reason: string;
}

/** What became of the lines of an imported file. */
export interface ImportReport {
  readonly source: ImportSource;
  /** Lines that are not blank. */
  readonly lines: number;
  /** Messages made of them; one answer of the model may have taken several. */
  readonly messages: number;
  /** How many lines of each type were kept unsent. */
  readonly kept: Readonly<Record<string, number>>;
  /** The first of those that could not be read; `skippedTotal` counts them all. */
  readonly skipped: readonly SkippedLine[];
  readonly skippedTotal: number;
  /** What the file says of where it was written. */
  readonly origin: Readonly<Record<string, string>>;
}

export interface EventData {
  /** `importing`: its history follows; nobody sees the session before `session.imported`. */
  'session.created': { readonly settings: SessionSettings; readonly importing?: true };
  /** Lines of the imported file that are no part of the conversation, as they were. */
  'import.kept': { readonly lines: readonly { readonly line: number; readonly value: Json }[] };
  'session.imported': ImportReport;
  'session.configured': { readonly changes: Partial<SessionSettings> };
  'session.closed': { readonly reason: string | null };
  'session.reopened': Record<string, never>;

  'prompt.submitted': {
    readonly submission: Submission;
    readonly disposition: 'started' | 'queued' | 'answered';
    /** For `answered`: what the client shows. */
    readonly display?: Json;
  };
  'prompt.queued': { readonly promptId: string; readonly position: number; readonly reason: 'turn_running' };
  'prompt.withdrawn': { readonly promptId: string };

  'turn.started': { readonly turnId: string; readonly promptId: string };
  'turn.completed': { readonly turnId: string; readonly stopReason: string; readonly checkpoints: Checkpoints };
  /** The wish to stop. The worker that runs the turn settles it; `turn.interrupted` follows. */
  'turn.interrupt_requested': { readonly turnId: string; readonly reason: string | null };
  'turn.interrupted': { readonly turnId: string; readonly checkpoints: Checkpoints };
  'turn.failed': { readonly turnId: string; readonly error: Failure; readonly checkpoints: Checkpoints };
  /** The prompt has been turned into messages. `query`: the model is asked now; otherwise the turn is over. */
  'turn.prepared': { readonly turnId: string; readonly query: boolean; readonly checkpoints: Checkpoints };

  /** The model called tools that the client runs: the turn stands still until their results are posted. */
  'turn.waiting': { readonly turnId: string; readonly toolUseIds: readonly string[] };
  'turn.resumed': { readonly turnId: string };

  'message.appended': { readonly message: StoredMessage; readonly turnId: string | null; readonly promptId?: string };
  'hook.completed': HookRun & { readonly turnId: string | null };

  'request.sent': SentRequest;
  'request.completed': {
    readonly requestId: string;
    readonly turnId: string;
    readonly providerRequestId: string | null;
    readonly stopReason: string | null;
    readonly usage: Usage;
    readonly durationMs: number;
  };
  'request.failed': {
    readonly requestId: string;
    readonly turnId: string;
    readonly error: Failure;
    readonly durationMs: number;
    /** RFC 3339; set when the worker will ask again, then. */
    readonly retryAt: string | null;
  };

  'session.rewound': {
    readonly rewindId: string;
    readonly before?: string;
    readonly after?: string;
    readonly from: string | null;
    readonly to: string | null;
    readonly removed: readonly string[];
    readonly permissionMode: PermissionMode;
    readonly reason: string | null;
  };
  'session.restored': {
    readonly rewindId: string;
    readonly from: string | null;
    readonly to: string | null;
    readonly permissionMode: PermissionMode;
  };
}

export type EventType = keyof EventData;

/** A fact about to be appended. */
export type NewEvent = { readonly [T in EventType]: { readonly type: T; readonly data: EventData[T] } }[EventType];

/** A fact in the log. `seq` counts 1, 2, 3… within the session, without gaps. */
export type SessionEvent = NewEvent & {
  readonly id: string;
  readonly seq: number;
  /** RFC 3339, UTC; never runs backwards within a session. */
  readonly time: string;
  readonly sessionId: string;
  readonly actor: Actor;
};

/** Version of each event's data as written today; older ones are lifted when they are read. */
export const SCHEMA_VERSIONS: { readonly [T in EventType]: number } = {
  'session.created': 1,
  'import.kept': 1,
  'session.imported': 1,
  'session.configured': 1,
  'session.closed': 1,
  'session.reopened': 1,
  'prompt.submitted': 1,
  'prompt.queued': 1,
  'prompt.withdrawn': 1,
  'turn.started': 1,
  'turn.completed': 1,
  'turn.interrupt_requested': 1,
  'turn.interrupted': 1,
  'turn.failed': 1,
  'turn.prepared': 1,
  'turn.waiting': 1,
  'turn.resumed': 1,
  'message.appended': 1,
  'hook.completed': 1,
  'request.sent': 1,
  'request.completed': 1,
  'request.failed': 1,
  'session.rewound': 1,
  'session.restored': 1,
};
