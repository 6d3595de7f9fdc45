import type { Message } from '../message/message.js';
import type { ClientTool, SentRequest } from '../session/events.js';
import type { Gates } from './gates.js';
import type { Payload, TraceEntry } from './payload.js';

/** Everything a payload is a function of. */
export interface ApiViewInput {
  /** The transcript in force, oldest first. */
  readonly messages: readonly Message[];
  readonly system: string | null;
  readonly context: Readonly<Record<string, string>>;
  readonly systemContext: Readonly<Record<string, string>>;
  readonly tools: readonly ClientTool[];
  readonly gates: Gates;
  readonly model: string;
  readonly maxTokens: number;
}

export interface ApiView {
  readonly payload: Payload;
  /** The payload, serialised once: what is hashed and sent. */
  readonly body: string;
  /** SHA-256 of `body`, hexadecimal. */
  readonly digest: string;
  readonly prefixDigests: SentRequest['prefixDigests'];
  /** Name of the profile the payload was made for. */
  readonly profile: string;
  /** At least one entry for every original block. */
  readonly trace: readonly TraceEntry[];
}
