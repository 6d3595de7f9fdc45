import type { TypeOf } from '../shape/shape.js';
import { choice } from '../shape/shapes.js';
import type { Content, ContentBlock, Json } from './content.js';

/**
 * Messages of a session, in one shape for the log, the fold and the API. `isMeta`: for the model only, hidden from the transcript. `isVirtual`: for readers only,
 * never sent to the model.
 */

export const permissionMode = choice('default', 'acceptEdits', 'plan', 'bypassPermissions').named('PermissionMode');
export type PermissionMode = TypeOf<typeof permissionMode>;

interface Entry {
  readonly uuid: string;
  /** The message before this one on its branch; null for the first. */
  readonly parentUuid: string | null;
  /** RFC 3339, UTC. */
  readonly timestamp: string;
  /** Its content was erased; what is left keeps its place in the conversation. */
  readonly erased?: true;
}

export interface UserMessage extends Entry {
  readonly type: 'user';
  readonly content: Content;
  readonly isMeta?: boolean;
  readonly isVirtual?: boolean;
  /** Where it came from; null or absent = a human typed it. */
  readonly origin?: Json;
  /** The permission mode when it was submitted; a rewind restores it. */
  readonly permissionMode?: PermissionMode;
  /** The tool's structured output, for clients; the model reads `content`. */
  readonly toolUseResult?: Json;
  /** Its original text when a hook replaced it; for readers only. */
  readonly rewrittenFrom?: string;
  /** Who wrote it, as the model is told; absent: it is not told. */
  readonly speaker?: string;
  readonly imagePasteIds?: readonly number[];
  /**
   * For a message with lines about images: what each of its own blocks describes; null: nothing. `inner`: of an image in a tool result, the index in the content of that
   * result. A line is not sent without its file.
   */
  readonly describes?: readonly ({ readonly uuid: string; readonly index: number; readonly inner?: number } | null)[];
  readonly isCompactSummary?: boolean;
  /** The note that a user interrupted the turn. */
  readonly isInterruption?: boolean;
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
  /** `index`: of the block in its message; `inner`: of the block in the content of that tool result. */
  | { readonly type: 'block_rejected'; readonly blockUuid: string; readonly index: number; readonly inner?: number };

export interface AssistantMessage extends Entry {
  readonly type: 'assistant';
  readonly message: ModelMessage;
  /** The request that it answers. */
  readonly requestId?: string;
  readonly isVirtual?: boolean;
  /** A provider's rejection, stored in the shape of an answer: for readers only. */
  readonly isApiErrorMessage?: boolean;
  readonly apiError?: ApiError | null;
  /** Only of an import: uuids of the messages whose place it took, or of the turn that the model refused with it; they are left out of requests. */
  readonly withdraws?: readonly string[];
}

export interface AttachmentMessage extends Entry {
  readonly type: 'attachment';
  readonly attachment: { readonly type: string; readonly [key: string]: Json };
  /** What the model saw of an imported attachment, which takes precedence over the rendering by kind: `[{content}]`, text or blocks. */
  readonly rendered?: Json;
  /** Role in which it was sent; absent: user. */
  readonly renderedRole?: Json;
  readonly isVirtual?: boolean;
  /** Standing context, and the source of it; only the server writes such messages, and an import loses this member. */
  readonly standing?: string;
  /** Everything before it was sent by an earlier request, so it stays behind that. */
  readonly inPlace?: boolean;
}

export interface SystemMessage extends Entry {
  readonly type: 'system';
  /** `local_command` reaches the model as user content; `api_error`, `compact_boundary`, `informational`, `hook_blocked`… do not. `turn_duration` is made from the log for readers, or imported. */
  readonly subtype: string;
  readonly level?: 'info' | 'warning' | 'error';
  readonly content: string;
  /** Only of a `turn_duration`: milliseconds. */
  readonly durationMs?: number;
  /** Only of a `compact_boundary`. */
  readonly compactMetadata?: CompactMetadata;
  /** Of a `refusal`, and of an imported `model_refusal_fallback`: uuids of the messages that are left out of later requests. */
  readonly withdraws?: readonly string[];
}

/** Result of a compaction. Imported boundaries may have only the first two members, or none. */
export interface CompactMetadata {
  readonly trigger: 'manual' | 'auto';
  /** Tokens of the last request and its answer before the compaction; null when no request was answered. */
  readonly preTokens: number | null;
  readonly compactionId: string;
  /** Uuid of the first message that is kept verbatim for the model; null: none. */
  readonly keptFrom: string | null;
  /** Of an imported compaction: uuids of the messages that are kept verbatim, wherever they are on the branch before it, in the order of the model's conversation. Takes precedence over `keptFrom`. */
  readonly kept?: readonly string[];
  /** Uuid of the last message that the compaction added: the kept messages follow it in the model's conversation. */
  readonly keptAfter: string;
  /** How many of the oldest summarized messages were left out of the summary for lack of room. */
  readonly omitted: number;
}

/** Live progress of a tool: sent to subscribers, never stored. */
export interface ProgressMessage extends Entry {
  readonly type: 'progress';
  readonly toolUseId: string;
  readonly data: Json;
}

/** Marks the place where a rewind or a compaction removed messages from the conversation. */
export interface TombstoneMessage extends Entry {
  readonly type: 'tombstone';
  readonly removed: readonly string[];
  /** Absent for a rewind. Messages removed by a compaction stay visible to readers. */
  readonly cause?: 'compaction';
}

/** One line that summarizes a sequence of tool calls for readers: made from the log for a transcript with notes, or imported, or of a caller of `POST /v1/normalize`. */
export interface ToolUseSummaryMessage extends Entry {
  readonly type: 'tool_use_summary';
  readonly summary: string;
  readonly toolUseIds: readonly string[];
}

export type Message = UserMessage | AssistantMessage | AttachmentMessage | SystemMessage | ProgressMessage | TombstoneMessage | ToolUseSummaryMessage;

/** Messages that the log can hold: all except live progress. */
export type StoredMessage = Exclude<Message, ProgressMessage>;
