import type { Content, ContentBlock, Json } from './content.js';

/**
 * The transcript's entries. What a session stores, what its log holds and what the API answers are these shapes, unchanged.
 * `isMeta`: the model sees it, the reader's transcript does not. `isVirtual`: the reader sees it, the model never does.
 */

export type PermissionMode = 'default' | 'acceptEdits' | 'plan' | 'bypassPermissions';

interface Entry {
  readonly uuid: string;
  /** The message before this one on its branch; null for the first. */
  readonly parentUuid: string | null;
  /** RFC 3339, UTC. */
  readonly timestamp: string;
}

export interface UserMessage extends Entry {
  readonly type: 'user';
  readonly content: Content;
  readonly isMeta?: boolean;
  readonly isVirtual?: boolean;
  /** Where it came from; null or absent = a human typed it. */
  readonly origin?: Json;
  /** The mode in force when it was written, so that a rewind can give it back. */
  readonly permissionMode?: PermissionMode;
  /** The tool's structured output, for readers and local code; the model gets `content`. */
  readonly toolUseResult?: Json;
  /** Its text before a hook wrote it anew; for readers only. */
  readonly rewrittenFrom?: string;
  readonly imagePasteIds?: readonly number[];
  readonly isCompactSummary?: boolean;
}

/** Token counts as the API reports them. */
export interface Usage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cache_creation_input_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly [key: string]: Json | undefined;
}

/** One message of the model, as the API returned it. `stop_reason` is null when the answer was cut short. */
export interface ModelMessage {
  readonly id: string;
  readonly role: 'assistant';
  readonly model: string;
  readonly content: readonly ContentBlock[];
  readonly stop_reason: string | null;
  readonly usage?: Usage;
  readonly [key: string]: unknown;
}

export type ApiError =
  | 'pdf_too_large'
  | 'pdf_password_protected'
  | 'pdf_invalid'
  | 'image_too_large'
  | 'request_too_large'
  | { readonly type: 'block_rejected'; readonly blockUuid: string; readonly index: number };

export interface AssistantMessage extends Entry {
  readonly type: 'assistant';
  readonly message: ModelMessage;
  /** The request this answers. */
  readonly requestId?: string;
  readonly isVirtual?: boolean;
  /** A stored refusal of the provider in the shape of an answer: readers see it, the model does not. */
  readonly isApiErrorMessage?: boolean;
  readonly apiError?: ApiError | null;
}

export interface AttachmentMessage extends Entry {
  readonly type: 'attachment';
  readonly attachment: { readonly type: string; readonly [key: string]: Json };
}

export interface SystemMessage extends Entry {
  readonly type: 'system';
  /** `local_command` reaches the model as user content; `api_error`, `compact_boundary`, `turn_duration`, `informational`, `hook_blocked`… do not. */
  readonly subtype: string;
  readonly level?: 'info' | 'warning' | 'error';
  readonly content: string;
  /** Of a `compact_boundary`. */
  readonly compactMetadata?: CompactMetadata;
}

/** What a compaction did. Boundaries that were imported may know no more than the first two, or nothing. */
export interface CompactMetadata {
  readonly trigger: 'manual' | 'auto';
  /** Tokens of the last request and its answer before it; null when no request had been answered. */
  readonly preTokens: number | null;
  readonly compactionId: string;
  /** The first message that stays in the model's view as it is; null = none does. */
  readonly keptFrom: string | null;
  /** The newest message that the compaction itself added: behind it stand the kept ones. */
  readonly keptAfter: string;
  /** Of the messages that the summary stands for, how many of the oldest were too many to be read for it. */
  readonly omitted: number;
}

/** Live progress of a tool. Sent to subscribers only, never stored. */
export interface ProgressMessage extends Entry {
  readonly type: 'progress';
  readonly toolUseId: string;
  readonly data: Json;
}

/** Stands for messages that a rewind or a compaction took out of the conversation. */
export interface TombstoneMessage extends Entry {
  readonly type: 'tombstone';
  readonly removed: readonly string[];
  /** Absent of a rewind. Readers still see what a compaction took from the model. */
  readonly cause?: 'compaction';
}

/** One line that sums up a run of tool calls for the reader. */
export interface ToolUseSummaryMessage extends Entry {
  readonly type: 'tool_use_summary';
  readonly summary: string;
  readonly toolUseIds: readonly string[];
}

export type Message = UserMessage | AssistantMessage | AttachmentMessage | SystemMessage | ProgressMessage | TombstoneMessage | ToolUseSummaryMessage;

/** What a log may hold: everything but live progress. */
export type StoredMessage = Exclude<Message, ProgressMessage>;
