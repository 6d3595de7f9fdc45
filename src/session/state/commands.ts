import type { Content, Json } from '../../../packages/protocol/message/content.js';
import type { ApiError, ModelMessage, StoredMessage, Usage } from '../../../packages/protocol/message/message.js';
import type { SessionRole } from '../../../packages/protocol/access/roles.js';
import type {
  AccessVia,
  CallOutcome,
  Checkpoints,
  ContentErased,
  EventData,
  Failure,
  Feedback,
  ForkedFrom,
  HelperParent,
  RecordedSentRequest,
  SessionSettings,
} from '../../../packages/protocol/events/events.js';
import type { ToolDefinition } from '../../../packages/protocol/message/tool-definition.js';
import type { Draft } from '../../../packages/protocol/message/draft.js';
import type { HookRun } from '../../../packages/protocol/hooks/hook-run.js';
import type { DecidedBy } from '../../../packages/protocol/permissions/decided-by.js';
import type { Submission } from '../../../packages/protocol/message/submission.js';
import type { ScheduleCommand, ScheduleRun } from './schedules.js';
import type { CompactionLimits } from './compaction-limits.js';
import type { PromptGates } from '../../../packages/protocol/gates.js';

export type WhenBusy = 'enqueue' | 'reject' | 'interrupt';

/** Answer of a command that is handled without a turn. */
export interface CommandAnswer {
  /** For the client to display; `text` is the plain-text form. */
  readonly display: { readonly type: string; readonly text: string; readonly [key: string]: Json };
  /** Session settings that the command changes. */
  readonly changes?: Partial<SessionSettings>;
}

export interface ToolResult {
  readonly toolUseId: string;
  readonly content: Content;
  readonly isError: boolean;
  readonly toolUseResult?: Json;
  /** A line for the model about each image; `inner` is the index of its block. */
  readonly notes?: readonly { readonly text: string; readonly inner: number }[];
  /** Uuid of the user message that holds it. */
  readonly uuid: string;
}

/** Decision of permission rules, hooks and permission mode about one tool call. */
export interface CallDecision {
  readonly toolUseId: string;
  readonly decision: 'allow' | 'deny' | 'ask';
  readonly by: DecidedBy;
  readonly reason: string;
  readonly updatedInput: { readonly [key: string]: Json } | null;
  readonly hookRuns: readonly HookRun[];
  /** Context added by hooks; placed before the result. */
  readonly contexts: readonly Draft[];
  /** For `deny`: the message with the error result. Otherwise empty. */
  readonly result: readonly Draft[];
  /** Why the turn ends once its calls have results; null: it continues. */
  readonly endReason: string | null;
}

/** Initial state of a session that continues another one. */
export interface Fork {
  readonly from: ForkedFrom;
  /** The server tools offered to the model there. */
  readonly serverTools: readonly ToolDefinition[];
  /** What the session list shows of the shared conversation. */
  readonly opening: { readonly messages: number; readonly firstText: string | null; readonly lastText: string | null };
}

/** A prompt takes the place of an earlier one: the conversation is rewound to before that message in the same append. */
export interface Replacement {
  readonly rewindId: string;
  /** Uuid of the message of the replaced prompt. */
  readonly before: string;
  readonly cause: 'edit' | 'regenerate';
}

/** Commands of users and clients. `seed`: a fresh uuid, from which the ids of the command's messages are derived (`deriveId`). */
export type UserCommand =
  | { readonly type: 'CreateSession'; readonly settings: SessionSettings; readonly fork?: Fork; readonly parent?: HelperParent }
  | { readonly type: 'ConfigureSession'; readonly changes: Partial<SessionSettings> }
  /** The title that the model made; without effect when a person has decided about the title. */
  | { readonly type: 'SetTitle'; readonly title: string; readonly model: string; readonly usage: Usage }
  | { readonly type: 'CloseSession'; readonly reason: string | null }
  | { readonly type: 'ReopenSession' }
  | {
      readonly type: 'SubmitPrompt';
      readonly submission: Submission;
      readonly whenBusy: WhenBusy;
      readonly maxQueued: number;
      /** Whether the server's shell is enabled. */
      readonly hasShell?: boolean;
      /** For a compaction: rejected at once when no turn runs and there is nothing to summarize. Absent: checked when its turn runs. */
      readonly compaction?: CompactionLimits;
      /** For a command of kind `client`: its answer. */
      readonly answer?: CommandAnswer;
      readonly replaces?: Replacement;
      /** The run of a schedule that submits it; recorded in the same append. */
      readonly run?: ScheduleRun;
    }
  | ScheduleCommand
  | {
      readonly type: 'EraseContent';
      readonly step: ContentErased;
      /** SHA-256 (hexadecimal) of the files to take from the session; null: all. */
      readonly files: readonly string[] | null;
      /** Ids of helpers that are to be erased as well. */
      readonly helpers: readonly string[];
    }
  | { readonly type: 'PlaceHold'; readonly reason: string | null }
  | { readonly type: 'ReleaseHold'; readonly reason: string | null }
  /** `limit`: the most grants that a session may have. */
  | { readonly type: 'GrantRole'; readonly principal: string; readonly role: SessionRole; readonly limit: number }
  /** `by`: id of the user who asks for it. */
  | { readonly type: 'RevokeGrant'; readonly principal: string; readonly by: string }
  | { readonly type: 'BreakGlass'; readonly until: string; readonly reason: string }
  | { readonly type: 'RecordAccess'; readonly reader: string; readonly via: AccessVia; readonly hour: string; readonly fork?: string }
  | { readonly type: 'WithdrawPrompt'; readonly promptId: string }
  | {
      readonly type: 'Interrupt';
      readonly reason: string | null;
      /** Also takes back the prompts in the queue, so that none starts when the turn has ended. */
      readonly withdrawsQueued?: boolean;
      /** The only turn that is interrupted; absent: the one that runs. */
      readonly turnId?: string;
      readonly at: string;
      readonly seed: string;
      readonly gates: PromptGates;
    }
  | { readonly type: 'PostToolResults'; readonly results: readonly ToolResult[]; readonly at: string }
  | {
      readonly type: 'DecideTool';
      readonly toolUseId: string;
      readonly decision: 'allow' | 'reject' | 'cancel';
      /** For `reject`: text for the model, which then continues. */
      readonly feedback: string | null;
      /** For `allow`: replaces the input of the call. */
      readonly updatedInput: { readonly [key: string]: Json } | null;
      /** Id of the deciding user. */
      readonly by: string;
      readonly at: string;
      readonly seed: string;
      readonly gates: PromptGates;
    }
  | { readonly type: 'RecordHookRuns'; readonly runs: readonly HookRun[] }
  | {
      readonly type: 'Rewind';
      readonly rewindId: string;
      readonly target: { readonly before: string } | { readonly after: string };
      /** Whether the files of the session's folder go back. */
      readonly files?: boolean;
      /** False: the conversation stays, only the files go back. */
      readonly messages?: boolean;
      readonly reason: string | null;
    }
  | { readonly type: 'Restore'; readonly rewindId: string }
  | { readonly type: 'RestoreBranch'; readonly tip: string }
  | { readonly type: 'RecordFeedback'; readonly feedback: Feedback }
  /** A request that a client made and that is passed on. `after`: the last message of the session that it has; null: none. `messages`: what it has after that one. */
  | {
      readonly type: 'RecordGatewayRequest';
      readonly after: string | null;
      readonly messages: readonly Draft[];
      readonly request: Omit<RecordedSentRequest, 'at'>;
      readonly rewindId: string;
    }
  /** Lines of a session file, and messages made of them. `moveTo`: the head before these; absent: it stays. A known uuid: that message has further lines now. */
  | {
      readonly type: 'AppendLines';
      readonly lines: EventData['lines.appended'];
      readonly moveTo?: string | null;
      readonly messages: readonly StoredMessage[];
      /** Settings of the conversation after these messages. */
      readonly settings: Pick<SessionSettings, 'model' | 'permissionMode'>;
    }
  /** What came of its answer. `after`: the last message of the request. */
  | {
      readonly type: 'RecordGatewayAnswer';
      readonly requestId: string;
      readonly after: string | null;
      /** Null: none of it came. */
      readonly answer: ModelMessage | null;
      readonly uuid: string;
      readonly at: string;
      readonly rewindId: string;
      readonly providerRequestId: string | null;
      readonly durationMs: number;
      /** Null: all of it came. */
      readonly failure: Failure | null;
    };

/** Reports of the worker that runs a turn. Rejected with `turn_over` when another worker or command has advanced the turn. */
export type TurnCommand =
  | {
      readonly type: 'PrepareTurn';
      readonly turnId: string;
      readonly messages: readonly Draft[];
      readonly hookRuns: readonly HookRun[];
      readonly callsModel: boolean;
      /** Why the prompt cannot be sent; the turn fails. Only with `callsModel: false`. */
      readonly failure?: Failure;
      readonly checkpoints: Checkpoints;
    }
  /** The command of a prompt in bash mode is about to run. Produces no event when that is already recorded. */
  | { readonly type: 'StartShell'; readonly turnId: string; readonly name: string; readonly input: Json }
  /** The session's folder has changed. */
  | { readonly type: 'RecordWorkspace'; readonly turnId: string; readonly change: Omit<EventData['workspace.changed'], 'turnId'> }
  /** Standing context that the conversation lacks, before the next request. */
  | { readonly type: 'AddContext'; readonly turnId: string; readonly messages: readonly Draft[] }
  | { readonly type: 'SendRequest'; readonly turnId: string; readonly request: RecordedSentRequest }
  | {
      readonly type: 'RecordAnswer';
      readonly turnId: string;
      readonly requestId: string;
      /** Of the answer; the id of the message that closes calls without a runner is derived from it. */
      readonly uuid: string;
      readonly at: string;
      readonly message: ModelMessage;
      readonly providerRequestId: string | null;
      readonly durationMs: number;
      /** Maximum number of calls in one answer; further ones are closed with an error. */
      readonly maxToolCalls: number;
      /** Whether the prompt of a refused answer stays in later requests. */
      readonly keepsRefusedPrompt: boolean;
      /** Stop hooks are configured; they run before the turn ends. */
      readonly hasStopHooks: boolean;
    }
  | {
      readonly type: 'RecordRequestFailure';
      readonly turnId: string;
      readonly requestId: string;
      readonly error: Failure;
      readonly durationMs: number;
      /** RFC 3339 time of the retry; null: the turn fails. */
      readonly retryAt: string | null;
      /** The blocks or the kind of file that the provider rejected, with the uuids of the messages that have them; omitted from later requests. */
      readonly rejected: readonly { readonly error: ApiError; readonly message: string }[];
      readonly partial: ModelMessage | null;
      readonly at: string;
      readonly seed: string;
    }
  | {
      readonly type: 'FinishInterrupt';
      readonly turnId: string;
      readonly partial: ModelMessage | null;
      readonly durationMs: number;
      readonly at: string;
      readonly seed: string;
      readonly gates: PromptGates;
    }
  | { readonly type: 'OfferTools'; readonly turnId: string; readonly tools: readonly ToolDefinition[] }
  | { readonly type: 'RecordDecisions'; readonly turnId: string; readonly decisions: readonly CallDecision[] }
  /** `helper`: the session that carries it out. */
  | { readonly type: 'StartCall'; readonly turnId: string; readonly toolUseId: string; readonly helper?: string }
  /** The helper that carries out the call has ended: a waiting turn runs again. */
  | { readonly type: 'ResumeForHelper'; readonly turnId: string; readonly toolUseId: string }
  | {
      readonly type: 'RecordOutcome';
      readonly turnId: string;
      readonly toolUseId: string;
      readonly outcome: CallOutcome;
      readonly isError: boolean;
      readonly durationMs: number;
      /** The message with the result, then those that follow it. */
      readonly messages: readonly Draft[];
      readonly hookRuns: readonly HookRun[];
      /** Why the turn ends once its calls have results; null: it continues. */
      readonly endReason: string | null;
      /** A person agreed that the session leaves plan mode. */
      readonly leavesPlanMode?: boolean;
    }
  /** The worker has nothing to do until the client or a person has answered. */
  | { readonly type: 'WaitForCalls'; readonly turnId: string }
  /** No answer within `waitedMs`. */
  | { readonly type: 'ExpireCalls'; readonly turnId: string; readonly waitedMs: number; readonly at: string; readonly uuid: string }
  | {
      readonly type: 'FinishTurn';
      readonly turnId: string;
      readonly hookRuns: readonly HookRun[];
      /** Notices for readers, or the text of a Stop hook for the model. */
      readonly messages: readonly Draft[];
      /** Whether the model is called again. */
      readonly continues: boolean;
    }
  /** Results of PreCompact hooks; `blocked`: why the compaction must not run, or null. */
  | {
      readonly type: 'RecordCompactionHooks';
      readonly turnId: string;
      readonly runs: readonly HookRun[];
      readonly blocked: string | null;
      readonly at: string;
      readonly uuid: string;
    }
  | {
      readonly type: 'RecordSummary';
      readonly turnId: string;
      readonly requestId: string;
      /** The ids of its messages are derived from it. */
      readonly compactionId: string;
      readonly at: string;
      readonly message: ModelMessage;
      readonly providerRequestId: string | null;
      readonly durationMs: number;
      /** The model refused it, and is asked again with less of the conversation. */
      readonly isRepeated: boolean;
    }
  | { readonly type: 'CompleteNothingToCompact'; readonly turnId: string; readonly at: string; readonly uuid: string }
  | { readonly type: 'FailTurn'; readonly turnId: string; readonly error: Failure; readonly at: string; readonly uuid: string };

export type Command = UserCommand | TurnCommand;
