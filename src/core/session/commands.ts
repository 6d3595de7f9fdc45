import type { Submission } from '../intake/submission.js';
import type { Content, Json } from '../message/content.js';
import type { ApiError, ModelMessage, StoredMessage } from '../message/message.js';
import type { Checkpoints, Failure, HookRun, SentRequest, SessionSettings } from './events.js';

export type WhenBusy = 'enqueue' | 'reject' | 'interrupt';

/** What a command that needs no turn came to. */
export interface CommandAnswer {
  /** What the client shows; `text` says the same in words. */
  readonly display: { readonly type: string; readonly text: string; readonly [key: string]: Json };
  /** Settings of the session that it changes. */
  readonly changes?: Partial<SessionSettings>;
}

/** A message before it has its place: the decision hangs it under the head. */
export type Draft<M extends StoredMessage = StoredMessage> = M extends StoredMessage ? Omit<M, 'parentUuid'> : never;

export interface ToolResult {
  readonly toolUseId: string;
  readonly content: Content;
  readonly isError: boolean;
  readonly toolUseResult?: Json;
  /** Uuid of the user message that will carry it. */
  readonly uuid: string;
}

/** What a person or a client may ask for. */
export type UserCommand =
  | { readonly type: 'CreateSession'; readonly settings: SessionSettings }
  | { readonly type: 'ConfigureSession'; readonly changes: Partial<SessionSettings> }
  | { readonly type: 'CloseSession'; readonly reason: string | null }
  | { readonly type: 'ReopenSession' }
  | {
      readonly type: 'SubmitPrompt';
      readonly submission: Submission;
      readonly whenBusy: WhenBusy;
      readonly maxQueued: number;
      /** For a command that the client shows: what it came to. */
      readonly answer?: CommandAnswer;
    }
  | { readonly type: 'WithdrawPrompt'; readonly promptId: string }
  | { readonly type: 'Interrupt'; readonly reason: string | null; readonly at: string; readonly uuids: readonly [string, string] }
  | { readonly type: 'PostToolResults'; readonly results: readonly ToolResult[]; readonly at: string }
  | { readonly type: 'RecordHookRuns'; readonly runs: readonly HookRun[] }
  | {
      readonly type: 'Rewind';
      readonly rewindId: string;
      readonly target: { readonly before: string } | { readonly after: string };
      readonly reason: string | null;
    }
  | { readonly type: 'Restore'; readonly rewindId: string };

/** What the worker reports of a turn it runs. Each is refused with `turn_over` once somebody else has taken the turn further. */
export type TurnCommand =
  | {
      readonly type: 'PrepareTurn';
      readonly turnId: string;
      readonly messages: readonly Draft[];
      readonly hookRuns: readonly HookRun[];
      readonly query: boolean;
      readonly checkpoints: Checkpoints;
    }
  | { readonly type: 'SendRequest'; readonly turnId: string; readonly request: SentRequest }
  | {
      readonly type: 'RecordAnswer';
      readonly turnId: string;
      readonly requestId: string;
      readonly uuid: string;
      /** For the user message that closes calls nobody here can run. */
      readonly closingUuid: string;
      readonly at: string;
      readonly message: ModelMessage;
      readonly providerRequestId: string | null;
      readonly durationMs: number;
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
      readonly refused: ApiError | null;
      readonly partial: ModelMessage | null;
      readonly at: string;
      readonly uuids: readonly [string, string];
    }
  | {
      readonly type: 'SettleInterrupt';
      readonly turnId: string;
      readonly partial: ModelMessage | null;
      readonly durationMs: number;
      readonly at: string;
      readonly uuids: readonly [string, string, string];
    }
  | { readonly type: 'FailTurn'; readonly turnId: string; readonly error: Failure; readonly at: string; readonly uuid: string };

export type Command = UserCommand | TurnCommand;
