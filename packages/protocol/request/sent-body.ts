import type { ChangedOption } from '../message/model-options.js';
import type { Message } from '../message/message.js';
import type { TraceEntry } from './trace-entry.js';

/**
 * The body of a request as it was sent, and why: nothing of it is computed again. A request that continues an earlier one records only what comes after the messages of
 * that one, so that the log grows with the conversation. Blocks that are sent as they are stored are references; all others are text.
 */
export interface SentBody {
  /** The request of the same log that it continues; null: it stands for itself. */
  readonly base: string | null;
  /** What it was made from, oldest first: uuids of stored messages, and messages that are not stored. */
  readonly conversation: Continued<string | Message>;
  readonly messages: Continued<SentMessage>;
  /** The members before the system prompt as JSON, without the brace at the end. */
  readonly options: string;
  /** The text of the system prompt, and the tools as JSON. Absent: those of the base. */
  readonly system?: string;
  readonly tools?: string;
  /** Markers for the provider's prompt cache; null: there are none. */
  readonly markers: CacheMarkers | null;
  readonly trace: SentTrace;
  /** Options that the request does not have as they were asked for; absent: none. */
  readonly changedOptions?: readonly ChangedOption[];
}

/** A list of which the first `keep` items are those of the base. */
export interface Continued<Item> {
  readonly keep: number;
  readonly added: readonly Item[];
}

export interface SentMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly SentBlock[];
}

/** A block of a request: JSON, or JSON with the bytes of files as base64 in it, or a reference. */
export type SentBlock = string | SentText | StoredBlock;

export interface SentText {
  readonly text: readonly (string | { readonly file: string })[];
}

/** A block that is sent as it is stored. */
export interface StoredBlock {
  /** Index of the message in the conversation, and of the block in the message. */
  readonly of: readonly number[];
  /** Members of the stored block that are not sent; absent: none. */
  readonly without?: readonly string[];
}

export interface CacheMarkers {
  /** The marker as JSON. */
  readonly marker: string;
  /** Whether the system prompt has one. */
  readonly system: boolean;
  /** Where in the text of the tools it is inserted; null: nowhere. */
  readonly tools: number | null;
  /** The messages of which the last block has one. */
  readonly messages: readonly number[];
}

/** What the passes did with each stored block. A block that is sent by reference and has no note was kept. */
export interface SentTrace {
  /** Of the messages of the conversation before this one, the base's notes count. */
  readonly from: number;
  readonly notes: readonly SentNote[];
}

export interface SentNote extends Pick<TraceEntry, 'action' | 'pass' | 'reason'> {
  /** Four numbers each: message and block in the conversation (null, null: the pass added the block), message and block in the request (null, null: it is not sent). */
  readonly blocks: readonly (readonly (number | null)[])[];
}
