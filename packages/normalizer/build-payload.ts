import type { Message } from '../protocol/message/message.js';
import type { RequestPrefix, PrefixDigests } from '../protocol/events/events.js';
import { assemble, prefixParts } from './assemble.js';
import type { NormalizationCache } from './normalization-cache.js';
import { apiModel } from './models/betas.js';
import { MessageSerializer } from './message-serializer.js';
import { type Continued, continuePayload, endsWithUser, hasMediaIn, type SentMessages } from './continue-payload.js';
import { normalize } from './normalize.js';
import { prefixDigestBy, type Sha256OfText } from './prefix.js';
import { offeredTools } from './offered-tools.js';
import type { TraceEntry } from '../protocol/request/trace-entry.js';
import type { PassContext } from './pass.js';
import type { Payload, PayloadMessage } from './payload.js';
import type { BodyFrame } from '../protocol/request/body-text.js';
import type { Working } from './working-message.js';
import { profileFor, type Provider } from './models/profiles.js';
import type { ChangedOption } from '../protocol/message/model-options.js';
import { fitOptions, NO_OPTIONS } from './models/fit-options.js';
import type { ModelOptions } from '../protocol/message/model-options.js';
import type { RequestTool } from '../protocol/message/tool-definition.js';
import type { NormalizeGates } from '../protocol/gates.js';

/** Version of the pipeline. Together with log, gates and model it determines every byte of a payload, so any change of its output needs a new version. */
export const NORMALIZER = '9';

/** Everything a payload depends on. */
export interface PayloadInput {
  /** The context entries, oldest first. */
  readonly messages: readonly Message[];
  readonly system: string | null;
  readonly context: Readonly<Record<string, string>>;
  readonly systemContext: Readonly<Record<string, string>>;
  readonly tools: readonly RequestTool[];
  readonly gates: NormalizeGates;
  readonly model: string;
  /** Absent: derived from the model id. */
  readonly provider?: Provider;
  readonly maxTokens: number;
  /** Absent: the request has none, not even those that show what a model thinks. */
  readonly options?: ModelOptions;
  /** The provider's id of the answer before, to be told why its prompt cache was missed; null: there is none. Absent: not asked. */
  readonly previousMessageId?: string | null;
  /** The prefix of the request that produced each answer, by the uuid of its message. Absent: no prefix is known, and signatures are not checked. */
  readonly signedPrefixes?: Readonly<Record<string, RequestPrefix>>;
  /** Default true, as requests are sent: with markers for the provider's prompt cache. */
  readonly cacheMarkers?: boolean;
}

export interface BuiltPayload {
  readonly payload: Payload;
  /** The payload as JSON in UTF-8: what is hashed and sent. */
  readonly bytes: Uint8Array;
  /** The same as text, decoded when it is asked for. */
  readonly body: string;
  /** SHA-256 of `bytes`, hexadecimal. */
  readonly digest: string;
  readonly prefixDigests: PrefixDigests;
  /** What `body` is put together from. */
  readonly parts: BuiltParts;
  /** Name of the model profile. */
  readonly profile: string;
  /** The options that the request does not have as they were asked for. */
  readonly changedOptions: readonly ChangedOption[];
  /** At least one entry for every stored block. Empty without trace. */
  readonly trace: readonly TraceEntry[];
}

/** The parts of a payload as they are recorded. */
export interface BuiltParts {
  readonly frame: BodyFrame;
  /** Without cache markers. */
  readonly messages: readonly PayloadMessage[];
  /** The same messages with the stored blocks that each block comes from. */
  readonly working: Working;
  readonly context: PassContext;
  /** What its messages depend on besides the conversation. */
  readonly settings: string;
  /** The request that it continues; null: the whole conversation was normalized. */
  readonly continued: Continued | null;
}

/**
 * Builds the request of a conversation. A pure function, so that the payload of any past request can be rebuilt and its digest compared. The payload does not depend on `withTrace` or `cache`. A conversation of which nothing can be sent gives a
 * payload without messages, which `checkRequest` reports. `sent`: the request before, which is continued if nothing in it has to change; `trace` is then that of what comes after it. Throws PassFailure when a pass throws.
 */
export function buildPayload(
  input: PayloadInput,
  sha256: Sha256OfText,
  withTrace = true,
  cache?: NormalizationCache,
  sent?: SentMessages | null,
): BuiltPayload {
  const { gates, tools, context, system, systemContext, signedPrefixes, cacheMarkers = true } = input;
  const model = apiModel(input.model);
  const profile = profileFor(model, input.provider);
  const prefixDigest = prefixDigestBy(sha256);
  // docs: Messages API, `max_tokens`: a value above the maximum of the model fails the request.
  const maxTokens = Math.min(input.maxTokens, profile.maxOutputTokens);
  const names = new Set(tools.map(({ name }) => name));
  const options = input.options ? fitOptions(input.options, { profile, maxTokens, tools: names }) : NO_OPTIONS;
  const prefix = prefixParts(system, systemContext, tools, gates['tool-search'] && profile.toolSearch, options.serverTools, prefixDigest);
  const serializer = new MessageSerializer(prefixDigest, cache);
  const passContext: PassContext = {
    profile,
    model,
    gates,
    tools: offeredTools(tools),
    userContext: context,
    ...(signedPrefixes ? { signatures: { prefixes: signedPrefixes, current: prefix.digests, serializer } } : {}),
  };
  const settings = JSON.stringify([profile.name, model, gates, context, prefix.digests]);
  const continued = sent ? continuePayload(sent, input.messages, settings, passContext, prefixDigest) : null;
  const { messages, working, trace } = continued ?? normalize(input.messages, passContext, withTrace, cache);
  const {
    payload,
    body: bytes,
    prefixDigests,
    frame,
  } = assemble(
    {
      model,
      maxTokens,
      prefix,
      messages,
      serializer,
      cacheMarkers,
      options: options.members,
      ...(input.previousMessageId === undefined ? {} : { previousMessageId: input.previousMessageId }),
    },
    prefixDigest,
  );
  const parts = { frame, messages, working, context: passContext, settings, continued };
  return {
    payload,
    bytes,
    get body() {
      return new TextDecoder().decode(bytes);
    },
    digest: sha256(bytes),
    prefixDigests,
    profile: profile.name,
    changedOptions: options.changed,
    trace,
    parts,
  };
}

/** What the next request of the conversation continues. */
export function sentMessages({ messages: conversation }: Pick<PayloadInput, 'messages'>, { parts, prefixDigests }: BuiltPayload): SentMessages {
  const { messages, working, settings, continued } = parts;
  const hasMedia = continued ? continued.hasMedia : working.some(hasMediaIn);
  return { conversation, messages, working, settings, digests: prefixDigests.messages, endsWithUser: endsWithUser(conversation, working.at(-1)), hasMedia };
}
