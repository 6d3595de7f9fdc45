import type { Submission } from '../intake/submission.js';
import type { StoredMessage, Usage } from '../message/message.js';
import type { SessionSource } from '../ports.js';
import type { Checkpoints, EventData, Failure, Front, PrefixDigests, SentRequest, SessionSettings } from './events.js';

/** `importing`: its history is still being written, and nobody sees it yet. */
export type SessionStatus = 'idle' | 'running' | 'waiting' | 'closed' | 'importing';

export type TurnStatus = 'running' | 'waiting' | 'completed' | 'interrupted' | 'failed';

export interface Turn {
  readonly turnId: string;
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
  readonly requestIds: string[];
  /** Failures in a row of the request that is due. */
  failedAttempts: number;
  /** When the due request may go out again. */
  retryAt: string | null;
  /** Uuids of the messages this turn has added. */
  readonly messages: string[];
}

export interface RequestRecord {
  readonly sent: SentRequest;
  readonly seq: number;
  readonly sentAt: string;
  /** What its answer was made behind, and any thinking in it signed. */
  readonly front: Front;
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
  readonly rewinds: Map<string, RewindRecord>;
  /** The last request that went out, with the digests of all its messages. */
  lastSent: LastSent | null;
  /** Tool calls of the waiting turn that the client still has to answer. */
  owedToolResults: string[];
  /** What SessionStart hooks are still to be told of; null once they were. */
  sessionStart: SessionSource | null;
  usage: { inputTokens: number; outputTokens: number; cacheReadTokens: number; cacheCreationTokens: number; requests: number };
}

const NO_SETTINGS: SessionSettings = {
  title: null,
  model: '',
  system: null,
  context: {},
  systemContext: {},
  permissionMode: 'default',
  tools: [],
  metadata: {},
};

export function emptyState(): SessionState {
  return {
    version: 0,
    ownerId: null,
    createdAt: null,
    updatedAt: null,
    status: 'idle',
    settings: NO_SETTINGS,
    messages: new Map(),
    head: null,
    turn: null,
    turns: new Map(),
    queue: [],
    prompts: new Map(),
    requests: new Map(),
    rewinds: new Map(),
    lastSent: null,
    owedToolResults: [],
    sessionStart: null,
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0, requests: 0 },
  };
}
