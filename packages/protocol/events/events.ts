import type { SessionRole } from '../access/roles.js';
import type { Json } from '../message/content.js';
import type { PermissionMode, StoredMessage, Usage } from '../message/message.js';
import type { ToolDefinition } from '../message/tool-definition.js';
import type { Draft } from '../message/draft.js';
import type { HookRun } from '../hooks/hook-run.js';
import type { DecidedBy } from '../permissions/decided-by.js';
import type { StoredSubmission } from '../message/submission.js';
import type { ForkedFrom, ImportReport } from './origin.js';
import type { ContentErased } from './erasure.js';
import type { SentCompaction, SentRequest } from './sent-request.js';
import type { SessionSettings } from './settings.js';

export type * from './erasure.js';
export type * from './origin.js';
export type * from './sent-request.js';
export type * from './settings.js';

/** Who caused an event. `system` is the worker, acting on an earlier command. */
export interface Actor {
  readonly kind: 'user' | 'system';
  readonly id: string;
}

/** When each stage of prompt processing began or ended: its public label, and milliseconds since the epoch. */
export type Checkpoints = readonly { readonly label: string; readonly at: number }[];

/** Why a request or a turn failed. `message` is suitable for users; `code` is stable. */
export interface Failure {
  readonly code: string;
  readonly message: string;
  /** `error.details.error_code` of the model API's answer; absent without one. */
  readonly errorCode?: string;
  /** HTTP status of the model API's answer; absent without one. */
  readonly status?: number;
  /** The provider's id of the failed request; absent when it sent none. */
  readonly providerRequestId?: string;
}

/** `ask`: a person must decide, with `allow`, `reject` or `cancel`. */
export type Decision = 'allow' | 'deny' | 'ask' | 'reject' | 'cancel';

/** `interrupted`: stopped before its end. `unknown`: the process that ran it was lost. */
export type CallOutcome = 'finished' | 'interrupted' | 'unknown';

/** A user's rating of an answer. */
export interface Feedback {
  readonly feedbackId: string;
  /** The model request whose answer is rated. */
  readonly requestId: string;
  /** A number or a word on the client's own scale. */
  readonly rating: number | string;
  readonly comment: string | null;
}

export interface EventData {
  /** `importing`: its history follows; the session is hidden until `session.imported`. */
  'session.created': { readonly settings: SessionSettings; readonly importing?: true; readonly forkedFrom?: ForkedFrom };
  /** Second event of a fork's log; nothing is written to the parent session. */
  'session.forked': { readonly from: string; readonly at: string | null; readonly seq: number };
  /** Lines of the imported file that are not part of the conversation, unchanged. */
  'import.retained': { readonly lines: readonly { readonly line: number; readonly value: Json }[] };
  'session.imported': ImportReport;
  'session.configured': { readonly changes: Partial<SessionSettings> };
  /** The server named the session. */
  'session.titled': { readonly title: string; readonly model: string; readonly usage: Usage };
  'session.closed': { readonly reason: string | null };
  'session.reopened': Record<string, never>;

  'prompt.submitted': {
    readonly submission: StoredSubmission;
    readonly disposition: 'started' | 'queued' | 'answered';
    /** For `answered`: for the client to display. */
    readonly display?: Json;
  };
  'prompt.queued': { readonly promptId: string; readonly position: number; readonly reason: 'turn_running' };
  'prompt.withdrawn': { readonly promptId: string };

  'turn.started': { readonly turnId: string; readonly promptId: string };
  /** `stopDetails`: of a refusal, what the API said about it. */
  'turn.completed': { readonly turnId: string; readonly stopReason: string; readonly stopDetails?: Json };
  /** A request to stop. The worker that runs the turn handles it; `turn.interrupted` follows. */
  'turn.interrupt_requested': { readonly turnId: string; readonly reason: string | null };
  'turn.interrupted': { readonly turnId: string };
  'turn.failed': { readonly turnId: string; readonly error: Failure };
  /** The prompt's messages are appended. `callsModel: false`: the turn ends without a model request. */
  'turn.prepared': { readonly turnId: string; readonly callsModel: boolean; readonly checkpoints: Checkpoints };

  /** The turn waits until the client has posted the results of `toolUseIds` and a person has decided about `decisions`. */
  'turn.waiting': { readonly turnId: string; readonly toolUseIds: readonly string[]; readonly decisions?: readonly string[] };
  'turn.resumed': { readonly turnId: string };

  /** The server tools offered to the model from here on. */
  'session.tools_changed': { readonly tools: readonly ToolDefinition[] };
  /** `deferred`: the messages of its result, which are appended once the calls before it have theirs. */
  'tool.decided': {
    readonly turnId: string;
    readonly toolUseId: string;
    readonly name: string;
    readonly decision: Decision;
    readonly by: DecidedBy;
    readonly reason?: string;
    /** Text for the model from the person who rejected the call. */
    readonly feedback?: string;
    /** Replaces the input of the call. */
    readonly updatedInput?: { readonly [key: string]: Json };
    readonly deferred?: readonly Draft[];
    /** Why the turn ends once its calls are settled. */
    readonly endReason?: string;
  };
  /** The call is about to run with this input. Without a later `tool.completed` it is unknown whether it took effect. In bash mode `toolUseId` is the prompt's id. */
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
    /** Changes that the API made to the input, such as dropped thinking blocks; absent when it reported none. */
    readonly inputTransformations?: readonly Json[];
    /** Why the prompt cache was missed, as the API reported it; absent when it reported nothing. */
    readonly cacheDiagnostics?: Json;
  };
  'request.failed': {
    readonly requestId: string;
    readonly turnId: string;
    readonly error: Failure;
    readonly durationMs: number;
    /** RFC 3339 time of the retry; null: no retry. */
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
    /** When it was made, of an import; absent: when it was recorded. */
    readonly at?: string;
    /** Why a prompt took the place of the removed ones, and the uuid of its message; absent: only the head moved. */
    readonly cause?: 'edit' | 'regenerate';
    readonly replacedBy?: string;
  };
  'session.compacted': {
    readonly compactionId: string;
    readonly turnId: string;
    readonly requestId: string;
    /** Uuids of the two messages that it appended. */
    readonly boundary: string;
    readonly summary: string;
    readonly keptFrom: string | null;
    readonly trigger: SentCompaction['trigger'];
    readonly instructions: string | null;
    readonly omitted: number;
    readonly preTokens: number | null;
    /** Output tokens of the summary; null when the provider did not report them. */
    readonly summaryTokens: number | null;
  };
  'session.restored': {
    /** Null: the branch was left by another restore, so no rewind is undone. */
    readonly rewindId: string | null;
    readonly from: string | null;
    readonly to: string | null;
    readonly permissionMode: PermissionMode;
    /** When it was made, of an import; absent: when it was recorded. */
    readonly at?: string;
  };

  'feedback.recorded': Feedback;

  /** One step of an erasure. The data of `events` is replaced by what is given here, in the same commit. The last event of its append. */
  'content.erased': ContentErased;
  /** Nothing of the session may be erased from here on. */
  'hold.placed': { readonly reason: string | null };
  'hold.released': { readonly reason: string | null };

  /** A user or a group has this role from here on, in the place of an earlier one. */
  'session.granted': { readonly principal: string; readonly role: SessionRole };
  'session.grant_revoked': { readonly principal: string };
  /** Its actor, who has no role that reads, may read until then. */
  'glass.broken': { readonly until: string; readonly reason: string };
  /** A caller who does not own the session has read content of it, once or more often in this hour, or has made this fork, which they read without a further record. */
  'session.accessed': { readonly reader: string; readonly via: AccessVia; readonly hour: string; readonly fork?: string };
}

/** By what right a caller read who does not own the session. */
export type AccessVia = 'grant' | 'break_glass' | 'link' | 'fork';

export type EventType = keyof EventData;

/** An event before it is appended. */
export type NewEvent = { readonly [T in EventType]: { readonly type: T; readonly data: EventData[T] } }[EventType];

/** A stored event. `seq` counts from 1 within the session, without gaps. */
export type SessionEvent = NewEvent & {
  readonly id: string;
  readonly seq: number;
  /** RFC 3339, UTC; never decreases within a session. */
  readonly time: string;
  readonly sessionId: string;
  readonly actor: Actor;
  /** Its content was erased: `data` is the skeleton that a later `content.erased` names. */
  readonly erased?: true;
};
