import type { Content, Json } from '../message/content.js';
import type { ApiError, ModelMessage } from '../message/message.js';
import type { CallOutcome, Checkpoints, Failure, Feedback, ForkedFrom, SentRequest, SessionSettings } from './events.js';
import type { ToolDefinition } from '../message/tool-definition.js';
import type { Draft } from '../message/draft.js';
import type { HookRun } from '../hooks/hook-run.js';
import type { DecidedBy } from '../permissions/decided-by.js';
import type { Submission } from '../message/submission.js';
import type { CompactionLimits } from './compaction-limits.js';
import type { PromptGates } from '../gates.js';

export type WhenBusy = 'enqueue' | 'reject' | 'interrupt';

/** What a command that needs no turn came to. */
export interface CommandAnswer {
  /** What the client shows; `text` says the same in words. */
  readonly display: { readonly type: string; readonly text: string; readonly [key: string]: Json };
  /** Settings of the session that it changes. */
  readonly changes?: Partial<SessionSettings>;
}

export interface ToolResult {
  readonly toolUseId: string;
  readonly content: Content;
  readonly isError: boolean;
  readonly toolUseResult?: Json;
  /** Uuid of the user message that will carry it. */
  readonly uuid: string;
}

/** What rules, hooks and mode say of one call. */
export interface CallDecision {
  readonly toolUseId: string;
  readonly decision: 'allow' | 'deny' | 'ask';
  readonly by: DecidedBy;
  readonly reason: string;
  readonly updatedInput: { readonly [key: string]: Json } | null;
  readonly hookRuns: readonly HookRun[];
  /** What the hooks want to be known, in front of the result. */
  readonly contexts: readonly Draft[];
  /** With a denial: the message with the result. */
  readonly result: readonly Draft[];
  /** Why the turn is to end once its calls are settled; null: it goes on. */
  readonly endReason: string | null;
}

/** What a session begins with that goes on from another one. */
export interface Fork {
  readonly from: ForkedFrom;
  /** The server's tools that the model was offered there. */
  readonly serverTools: readonly ToolDefinition[];
}

/** What a person or a client may ask for. `seed`: a fresh uuid, from which the ids of the command's messages are derived (`deriveId`). */
export type UserCommand =
  | { readonly type: 'CreateSession'; readonly settings: SessionSettings; readonly fork?: Fork }
  | { readonly type: 'ConfigureSession'; readonly changes: Partial<SessionSettings> }
  | { readonly type: 'CloseSession'; readonly reason: string | null }
  | { readonly type: 'ReopenSession' }
  | {
      readonly type: 'SubmitPrompt';
      readonly submission: Submission;
      readonly whenBusy: WhenBusy;
      readonly maxQueued: number;
      /** The server's shell is switched on. */
      readonly hasShell?: boolean;
      /** Of a compaction: refused at once when nothing runs and there is nothing to sum up. Left out: its turn will find out. */
      readonly compaction?: CompactionLimits;
      /** For a command that the client shows: what it came to. */
      readonly answer?: CommandAnswer;
    }
  | { readonly type: 'WithdrawPrompt'; readonly promptId: string }
  | { readonly type: 'Interrupt'; readonly reason: string | null; readonly at: string; readonly seed: string; readonly gates: PromptGates }
  | { readonly type: 'PostToolResults'; readonly results: readonly ToolResult[]; readonly at: string }
  | {
      readonly type: 'DecideTool';
      readonly toolUseId: string;
      readonly decision: 'allow' | 'reject' | 'cancel';
      /** With a rejection: what the model is told, so that it goes on. */
      readonly feedback: string | null;
      /** With consent: run it with this input instead. */
      readonly updatedInput: { readonly [key: string]: Json } | null;
      /** The user who decides. */
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
      readonly reason: string | null;
    }
  | { readonly type: 'Restore'; readonly rewindId: string }
  | { readonly type: 'RecordFeedback'; readonly feedback: Feedback };

/** What the worker reports of a turn it runs. Each is refused with `turn_over` once somebody else has taken the turn further. */
export type TurnCommand =
  | {
      readonly type: 'PrepareTurn';
      readonly turnId: string;
      readonly messages: readonly Draft[];
      readonly hookRuns: readonly HookRun[];
      readonly callsModel: boolean;
      /** Why the prompt cannot be sent: the turn has failed. Only where `query` is false. */
      readonly failure?: Failure;
      readonly checkpoints: Checkpoints;
    }
  /** What was typed in bash mode is about to run. Nothing follows when it has been on record already. */
  | { readonly type: 'StartShell'; readonly turnId: string; readonly name: string; readonly input: Json }
  | { readonly type: 'SendRequest'; readonly turnId: string; readonly request: SentRequest }
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
      /** Calls that one answer may make; those beyond are closed. */
      readonly maxToolCalls: number;
      /** There are Stop hooks, which have a say before the turn ends. */
      readonly hasStopHooks: boolean;
    }
  | {
      readonly type: 'RecordRequestFailure';
      readonly turnId: string;
      readonly requestId: string;
      readonly error: Failure;
      readonly durationMs: number;
      /** When to ask again; null = the turn has failed. */
      readonly retryAt: string | null;
      /** What the provider objected to: it is left out of every later request. */
      readonly rejected: ApiError | null;
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
  | { readonly type: 'StartCall'; readonly turnId: string; readonly toolUseId: string }
  | {
      readonly type: 'RecordOutcome';
      readonly turnId: string;
      readonly toolUseId: string;
      readonly outcome: CallOutcome;
      readonly isError: boolean;
      readonly durationMs: number;
      /** The message with the result, then what belongs behind it. */
      readonly messages: readonly Draft[];
      readonly hookRuns: readonly HookRun[];
      /** Why the turn is to end once its calls are settled; null: it goes on. */
      readonly endReason: string | null;
    }
  /** Nothing is left for the worker to do until the client or a person has answered. */
  | { readonly type: 'WaitForCalls'; readonly turnId: string }
  /** They did not, within `waitedMs`. */
  | { readonly type: 'ExpireCalls'; readonly turnId: string; readonly waitedMs: number; readonly at: string; readonly uuid: string }
  | {
      readonly type: 'FinishTurn';
      readonly turnId: string;
      readonly hookRuns: readonly HookRun[];
      /** What is said besides: to the reader, or by a Stop hook to the model. */
      readonly messages: readonly Draft[];
      /** The model goes on. */
      readonly continues: boolean;
    }
  /** What hooks say of a compaction; `blocked`: why it must not be. */
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
    }
  | { readonly type: 'SettleNothingToCompact'; readonly turnId: string; readonly at: string; readonly uuid: string }
  | { readonly type: 'FailTurn'; readonly turnId: string; readonly error: Failure; readonly at: string; readonly uuid: string };

export type Command = UserCommand | TurnCommand;
