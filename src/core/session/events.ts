import type { Json } from '../message/content.js';
import type { PermissionMode, StoredMessage, Usage } from '../message/message.js';
import type { PermissionRules } from '../permissions/rule.js';
import type { ToolDefinition, ClientTool } from '../message/tool-definition.js';
import type { Draft } from '../message/draft.js';
import type { HookRun } from '../hooks/hook-run.js';
import type { DecidedBy } from '../permissions/decided-by.js';
import type { Submission } from '../message/submission.js';

/** What a session is set to. All of it feeds the payload except `title`, `permissionMode`, `permissions` and `metadata`. */
export interface SessionSettings {
  readonly title: string | null;
  readonly model: string;
  readonly system: string | null;
  /** Named texts shown to the model in front of the conversation. */
  readonly context: Readonly<Record<string, string>>;
  /** Named values at the end of the system prompt. */
  readonly systemContext: Readonly<Record<string, string>>;
  readonly permissionMode: PermissionMode;
  /** Rules for calls of the server's tools, besides those of the deployment and the tenant. */
  readonly permissions: PermissionRules;
  readonly tools: readonly ClientTool[];
  readonly metadata: { readonly [key: string]: Json };
  /** Whether the conversation is compacted by itself when it outgrows the model's window; null or absent = as the server does. */
  readonly autoCompact?: boolean | null;
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

/** `ask`: a person decides, by `allow`, `reject` or `cancel`. */
export type Decision = 'allow' | 'deny' | 'ask' | 'reject' | 'cancel';

/** `interrupted`: it was stopped before its end. `unknown`: the process that ran it was lost. */
export type CallOutcome = 'finished' | 'interrupted' | 'unknown';

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
export interface RequestPrefix {
  readonly system: string;
  readonly tools: string;
  /** The digest of the last message; empty in front of the first one. */
  readonly messages: string;
}

/** The same as the log keeps it: of the messages only those from `shared` on, since the first ones are the request's before it. A log must not grow by the whole conversation with each request. */
export interface PrefixRecord extends PrefixDigests {
  readonly shared: number;
}

/** What somebody thinks of an answer, for training. */
export interface Feedback {
  readonly feedbackId: string;
  /** The model call whose answer it is about. */
  readonly requestId: string;
  /** A number or a word, as the client's own scale has it. */
  readonly rating: number | string;
  readonly comment: string | null;
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
  /** What it is for, when it is not for the next answer. */
  readonly purpose?: 'compaction';
  /** Of a compaction: what the payload depends on besides the log, and what is to be done with the answer. */
  readonly compaction?: SentCompaction;
}

/** A request for the summary of a conversation. */
export interface SentCompaction {
  /** Whether somebody asked for it. */
  readonly trigger: 'manual' | 'auto';
  /** What they want of the summary. */
  readonly instructions: string | null;
  /** The first message that stays behind the summary as it is; null = none. */
  readonly keptFrom: string | null;
  /** The first message of the conversation that was read for it, and the first that was not any more; null = from the first, to the last. */
  readonly from: string | null;
  readonly to: string | null;
  /** How many messages, of those that the summary stands for, were passed over because there were too many. */
  readonly omitted: number;
  /** Tokens in use before it; null when nobody has counted them. */
  readonly preTokens: number | null;
}

/** Where a fork took leave of the session it was made of. */
export interface ForkedFrom {
  readonly sessionId: string;
  /** The last message that the two share; null = none. */
  readonly at: string | null;
  /** Version of that session at which it was made. */
  readonly seq: number;
  /** Head of that session's hash chain at that version, hexadecimal. */
  readonly headHash: string;
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
  'session.created': { readonly settings: SessionSettings; readonly importing?: true; readonly forkedFrom?: ForkedFrom };
  /** Follows in the log of a fork: nothing is written to the session it was made of. */
  'session.forked': { readonly from: string; readonly at: string | null; readonly seq: number };
  /** Lines of the imported file that are no part of the conversation, as they were. */
  'import.retained': { readonly lines: readonly { readonly line: number; readonly value: Json }[] };
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
  'turn.prepared': { readonly turnId: string; readonly callsModel: boolean; readonly checkpoints: Checkpoints };

  /** The turn stands still until the client has posted the results of these calls, and a person has decided about those in `decisions`. */
  'turn.waiting': { readonly turnId: string; readonly toolUseIds: readonly string[]; readonly decisions?: readonly string[] };
  'turn.resumed': { readonly turnId: string };

  /** The server's tools that the model is offered from here on. */
  'session.tools_changed': { readonly tools: readonly ToolDefinition[] };
  /** `held`: the messages of its outcome, which follow once the calls before it have theirs. */
  'tool.decided': {
    readonly turnId: string;
    readonly toolUseId: string;
    readonly name: string;
    readonly decision: Decision;
    readonly by: DecidedBy;
    readonly reason?: string;
    /** What the person who rejected it wants instead. */
    readonly feedback?: string;
    /** In place of the whole of the call's input. */
    readonly updatedInput?: { readonly [key: string]: Json };
    readonly deferred?: readonly Draft[];
    /** Why the turn ends once its calls are settled. */
    readonly endReason?: string;
  };
  /** About to run, with this input. Without a `tool.completed` behind it, whether it took effect is not known. In bash mode the prompt's id stands for the call's. */
  'tool.started': { readonly turnId: string; readonly toolUseId: string; readonly name: string; readonly input: Json };
  'tool.completed': {
    readonly turnId: string;
    readonly toolUseId: string;
    readonly name: string;
    readonly outcome: CallOutcome;
    readonly isError: boolean;
    readonly durationMs: number;
    readonly deferred?: readonly Draft[];
    readonly endReason?: string;
  };

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
  'session.compacted': {
    readonly compactionId: string;
    readonly turnId: string;
    readonly requestId: string;
    /** Uuids of the two messages that it put at the head. */
    readonly boundary: string;
    readonly summary: string;
    readonly keptFrom: string | null;
    readonly trigger: SentCompaction['trigger'];
    readonly instructions: string | null;
    readonly omitted: number;
    readonly preTokens: number | null;
    /** Tokens of the model's answer; null when it did not say. */
    readonly summaryTokens: number | null;
  };
  'session.restored': {
    readonly rewindId: string;
    readonly from: string | null;
    readonly to: string | null;
    readonly permissionMode: PermissionMode;
  };

  'feedback.recorded': Feedback;
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
  'import.retained': 1,
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
  'session.tools_changed': 1,
  'tool.decided': 1,
  'tool.started': 1,
  'tool.completed': 1,
  'message.appended': 1,
  'hook.completed': 1,
  'request.sent': 1,
  'request.completed': 1,
  'request.failed': 1,
  'session.forked': 1,
  'session.compacted': 1,
  'session.rewound': 1,
  'session.restored': 1,
  'feedback.recorded': 1,
};
