import type { Message } from '../message/message.js';
import type { RequestPrefix, PrefixDigests } from '../session/events.js';
import { assemble, prefixParts } from './assemble.js';
import type { NormalizationCache } from './normalization-cache.js';
import { MessageSerializer } from './message-serializer.js';
import { normalize } from './normalize.js';
import type { Payload, TraceEntry } from './payload.js';
import { profileFor } from '../models/profiles.js';
import type { ClientTool } from '../message/tool-definition.js';
import type { NormalizeGates } from '../gates.js';

/** Version of the pipeline: with the log, the gates and the model it decides every byte of a payload, so any change of its output is a new one. */
export const NORMALIZER = '3';

/** Everything a payload is a function of. */
export interface PayloadInput {
  /** The transcript in force, oldest first. */
  readonly messages: readonly Message[];
  readonly system: string | null;
  readonly context: Readonly<Record<string, string>>;
  readonly systemContext: Readonly<Record<string, string>>;
  readonly tools: readonly ClientTool[];
  readonly gates: NormalizeGates;
  readonly model: string;
  readonly maxTokens: number;
  /** `none`: the tools are told, and must not be called. */
  readonly toolChoice?: 'none';
  /** Of each answer that this system asked for, by uuid, what it was made behind. Left out: of no answer is that known, and thinking is taken at its word. */
  readonly signedPrefixes?: Readonly<Record<string, RequestPrefix>>;
  /** Left out: as requests are sent, with markers for the provider's prompt cache. */
  readonly cacheMarkers?: boolean;
}

export interface BuiltPayload {
  readonly payload: Payload;
  /** The payload, serialised once: what is hashed and sent. */
  readonly body: string;
  /** SHA-256 of `body`, hexadecimal. */
  readonly digest: string;
  readonly prefixDigests: PrefixDigests;
  /** Name of the profile the payload was made for. */
  readonly profile: string;
  /** At least one entry for every original block. */
  readonly trace: readonly TraceEntry[];
}

/**
 * The request that this transcript makes: a pure function, so that the payload of any past request can be made again and its digest compared.
 * `sha256` gives the hexadecimal digest of a text's UTF-8 bytes. Without the trace, the rest is the same; with a memory of the session's earlier requests too,
 * only sooner. A transcript in which nothing is left to send gives a payload without messages, which `checkRequest` reports.
 */
export function buildPayload(input: PayloadInput, sha256: (text: string) => string, withTrace = true, memory?: NormalizationCache): BuiltPayload {
  const { model, gates, tools, context, system, systemContext, signedPrefixes, cacheMarkers = true } = input;
  const profile = profileFor(model);
  const front = prefixParts(system, systemContext, tools, sha256);
  const writer = new MessageSerializer(sha256, memory);
  const passContext = {
    profile,
    model,
    gates,
    tools: new Set(tools.map(({ name }) => name)),
    userContext: context,
    ...(signedPrefixes ? { signatures: { behind: signedPrefixes, front: front.digests, writer } } : {}),
  };
  const { messages, trace } = normalize(input.messages, passContext, withTrace, memory);
  // docs: Messages API, `max_tokens`: each model has its own maximum, past which a request is refused.
  const maxTokens = Math.min(input.maxTokens, profile.maxOutputTokens);
  const { payload, body, prefixDigests } = assemble(
    { model, maxTokens, front, messages, writer, cacheMarkers, ...(input.toolChoice ? { toolChoice: input.toolChoice } : {}) },
    sha256,
  );
  return { payload, body, digest: sha256(body), prefixDigests, profile: profile.name, trace };
}
