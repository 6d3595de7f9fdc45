import type { Json } from '../message/content.js';
import type { StoredMessage, Usage } from '../message/message.js';
import type {
  CallOutcome,
  Checkpoints,
  Decision,
  EventData,
  Failure,
  ForkedFrom,
  RequestPrefix,
  PrefixDigests,
  SentRequest,
  SessionSettings,
} from './events.js';
import type { ToolDefinition } from '../message/tool-definition.js';
import { NO_RULES } from '../permissions/rule.js';
import type { SessionSource } from './session-source.js';
import type { Draft } from '../message/draft.js';
import type { DecidedBy } from '../permissions/decided-by.js';
import type { Submission } from '../message/submission.js';

/** `importing`: its history is still being written, and nobody sees it yet. */
export type SessionStatus = 'idle' | 'running' | 'waiting' | 'closed' | 'importing';

export type TurnStatus = 'running' | 'waiting' | 'completed' | 'interrupted' | 'failed';

/** One tool call of a turn, from the answer it stands in to its result. */
export interface CallRecord {
  readonly toolUseId: string;
  readonly name: string;
  /** As the model wrote it. */
  readonly input: Json;
  /** Who runs it: this server, the client, or nobody, since there is no such tool. */
  readonly runBy: 'server' | 'client' | 'nobody';
  decision: Decision | null;
  decidedBy: DecidedBy | null;
  reason: string | null;
  /** In place of `input`, when a hook or a person changed it. */
  updatedInput: Json | null;
  startedAt: string | null;
  endedAt: string | null;
  outcome: CallOutcome | null;
  isError: boolean | null;
  durationMs: number | null;
  /** The messages of its outcome, while calls before it have none. */
  deferred: readonly Draft[] | null;
  /** The message that holds its result; null: the call is open. */
  resultUuid: string | null;
}

export interface Turn {
  readonly turnId: string;
  /** Seq of the event since when it runs after waiting; 0 in the first segment. Each segment has a job of its own. */
  segment: number;
  readonly promptId: string;
  readonly startedAt: string;
  status: TurnStatus;
  endedAt: string | null;
  stopReason: string | null;
  error: Failure | null;
  checkpoints: Checkpoints;
  /** The prompt's messages are in the transcript. */
  prepared: boolean;
  /** Whether the prepared prompt asks for the model at all. */
  query: boolean;
  interruptRequested: boolean;
  /** What was typed in bash mode has run, or was about to. */
  ranShell: boolean;
  /** A hook has kept the conversation from being compacted in this turn. */
  compactionBlocked: boolean;
  readonly requestIds: string[];
  /** Failures in a row of the request that is due. */
  failedAttempts: number;
  /** When the due request may go out again. */
  retryAt: string | null;
  /** Uuids of the messages this turn has added. */
  readonly messages: string[];
  /** Its tool calls by id. */
  readonly calls: Map<string, CallRecord>;
  /** Ids of the calls of its last answer, in their order. */
  pendingCalls: readonly string[];
  /** Stop reason of an answer that ends the turn, unless a Stop hook has the model go on. */
  finalStopReason: string | null;
  /** How often a Stop hook has. */
  continuations: number;
  /** Why the turn ends as soon as its calls are settled. */
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
}

export interface LastSent {
  readonly request: SentRequest;
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
  readonly turnId: string | null;
  readonly promptId: string | null;
}

export interface RewindRecord {
  readonly data: EventData['session.rewound'];
  readonly at: string;
  readonly by: string;
  restoredAt: string | null;
}

/**
 * A session, folded from its events. `evolve` moves it forward in place, since a copy per event would make a long session quadratic; to everybody
 * else it is read-only, and true only until the next await.
 */
export interface SessionState {
  /** Seq of the last event; 0 = there is no such session. */
  version: number;
  ownerId: string | null;
  createdAt: string | null;
  updatedAt: string | null;
  /** Null = it is no fork. */
  forkedFrom: ForkedFrom | null;
  status: SessionStatus;
  settings: SessionSettings;
  readonly messages: Map<string, MessageRecord>;
  /** The newest message of the branch in force; null before the first. */
  head: string | null;
  /** The turn that runs or waits. */
  turn: Turn | null;
  readonly turns: Map<string, Turn>;
  /** Accepted prompts that wait, in the order of acceptance. */
  queue: PromptRecord['submission'][];
  readonly prompts: Map<string, PromptRecord>;
  readonly requests: Map<string, RequestRecord>;
  /** By request, what its answer was made behind, and any thinking in it signed; of a fork's inherited answers, too. */
  readonly requestPrefixes: Map<string, RequestPrefix>;
  readonly rewinds: Map<string, RewindRecord>;
  /** The last request for an answer that went out, with the digests of all its messages. */
  lastSent: LastSent | null;
  /** The server's tools that the model is offered. */
  serverTools: readonly ToolDefinition[];
  /** What SessionStart hooks are still to be told of; null once they were. */
  sessionStart: SessionSource | null;
  usage: { inputTokens: number; outputTokens: number; cacheReadTokens: number; cacheCreationTokens: number; requests: number };
}

export const NO_SETTINGS: SessionSettings = {
  title: null,
  model: '',
  system: null,
  context: {},
  systemContext: {},
  permissionMode: 'default',
  permissions: NO_RULES,
  tools: [],
  metadata: {},
};

export function emptyState(): SessionState {
  return {
    version: 0,
    ownerId: null,
    createdAt: null,
    updatedAt: null,
    forkedFrom: null,
    status: 'idle',
    settings: NO_SETTINGS,
    messages: new Map(),
    head: null,
    turn: null,
    turns: new Map(),
    queue: [],
    prompts: new Map(),
    requests: new Map(),
    requestPrefixes: new Map(),
    rewinds: new Map(),
    lastSent: null,
    serverTools: [],
    sessionStart: null,
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0, requests: 0 },
  };
}
