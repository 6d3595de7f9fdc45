import type { SentBody } from '../request/sent-body.js';

/** A model request: what was sent, without its body. */
export interface SentRequest {
  readonly requestId: string;
  readonly turnId: string;
  /** Counts the requests of a turn from 1. */
  readonly ordinal: number;
  /** The version of the session that the payload was made from. */
  readonly at: number;
  readonly model: string;
  readonly profile: string;
  /** Those that were on. */
  readonly gates: Readonly<Record<string, boolean>>;
  /** Values of the `anthropic-beta` header; absent: none. */
  readonly betas?: readonly string[];
  readonly normalizer: string;
  readonly maxTokens: number;
  /** SHA-256 of the request body, hexadecimal. */
  readonly digest: string;
  readonly bytes: number;
  readonly prefix: PrefixRecord;
  /** Absent: the request is for the next answer. */
  readonly purpose?: 'compaction';
  /** For a compaction: the inputs of the payload that are not in the log, and how the answer is used. */
  readonly compaction?: SentCompaction;
}

/** A request as it is recorded. */
export interface RecordedSentRequest extends SentRequest {
  /** Null: erased. */
  readonly body: SentBody | null;
}

/** Parameters of a request for the summary of a conversation. */
export interface SentCompaction {
  /** `manual`: requested by a user. */
  readonly trigger: 'manual' | 'auto';
  /** The user's instructions for the summary. */
  readonly instructions: string | null;
  /** The first message that is kept verbatim after the summary; null: none. */
  readonly keptFrom: string | null;
  /** The range of messages that the summary is made from: first included, first excluded. Null: open at that end. */
  readonly from: string | null;
  readonly to: string | null;
  /** How many of the oldest summarized messages were left out of that range for lack of room. */
  readonly omitted: number;
  /** Tokens in use before the compaction; null when no request has reported them. */
  readonly preTokens: number | null;
}

/** The first half of the SHA-256 (hexadecimal) of a request's parts without cache markers, to find where two requests differ. */
export interface PrefixDigests {
  readonly system: string;
  readonly tools: string;
  /** Chained: each covers its message and the digest before it, so the last one identifies them all. Empty: of an earlier request, not recorded; the last one is. */
  readonly messages: readonly string[];
  /** Digests of each block of the last messages, which may grow until the next request. */
  readonly tail: readonly (readonly string[])[];
}

/** Digests of everything that precedes an answer. */
export interface RequestPrefix {
  readonly system: string;
  readonly tools: string;
  /** The digest of the last message; empty when there is none. */
  readonly messages: string;
}

/** `PrefixDigests` as stored: the first `shared` message digests are those of the request before and are left out, so that the log grows by the new messages only. */
export interface PrefixRecord extends PrefixDigests {
  readonly shared: number;
  /** Positions of the digests in `messages`, ascending, the last message among them. Absent: all from `shared` on. */
  readonly at?: readonly number[];
}
