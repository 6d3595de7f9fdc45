import { DomainError, type FieldError } from '../../../packages/protocol/errors.js';
import type { SessionState } from '../../session/state/state.js';
import { type BuiltPayload, type PayloadInput, buildPayload } from '../../../packages/normalizer/build-payload.js';
import type { Continued } from '../../../packages/normalizer/continue-payload.js';
import type { TraceEntry } from '../../../packages/protocol/request/trace-entry.js';
import { readMessages } from '../../../packages/normalizer/plain-message.js';
import { profileFor, type Provider } from '../../../packages/normalizer/models/profiles.js';
import { payloadInput } from '../../session/payload/payload-input.js';
import { prefixBreak } from './prefix-diff.js';
import { problemsOf } from './payload-problems.js';
import { continues, recordedMessages } from './recorded-messages.js';
import type { InlineBlobs, BytesOf } from './inline-blobs.js';
import type { SentRequests } from './sent-requests.js';
import type { NormalizedView, NormalizeInput, PayloadView } from './views.js';
import { DEFAULT_NORMALIZE_GATES, NORMALIZE_GATES, type NormalizeGates } from '../../../packages/protocol/gates.js';
import { pointerSegment } from '../../../packages/protocol/message/json-pointer.js';

type Sha256 = (content: string | Uint8Array) => string;

/** The payload the session would send now; with `fresh`, what this build makes of the whole conversation instead. Nothing is sent. */
export function payloadView(
  state: SessionState,
  options: {
    readonly model?: string;
    readonly gates: NormalizeGates;
    readonly provider?: Provider | undefined;
    readonly maxTokens: number;
    readonly fresh?: boolean;
  },
  { bytes, of, requests }: { readonly bytes: InlineBlobs; readonly of: BytesOf; readonly requests: SentRequests },
  sha256: Sha256,
): Promise<PayloadView> {
  return bytes.with(
    of,
    () => payloadInput(state, options),
    (input) => compared(state, input, requests, sha256, options.fresh === true),
  );
}

async function compared(state: SessionState, input: PayloadInput, requests: SentRequests, sha256: Sha256, isFresh: boolean): Promise<PayloadView> {
  const { version, lastSent } = state;
  const view = await nextPayload(state, input, requests, sha256, isFresh);
  const {
    shared = 0,
    cause,
    source,
  } = (await prefixBreak(state, { model: view.payload.model, gates: input.gates, view }, ({ request }) => requests.earlier(state, request.requestId))) ?? {};
  const broken = lastSent && cause !== undefined ? [{ requestId: lastSent.request.requestId, message: shared, cause, ...(source ? { source } : {}) }] : [];
  return { version, ...answer(view, input), breaks: broken };
}

async function nextPayload(state: SessionState, input: PayloadInput, requests: SentRequests, sha256: Sha256, isFresh: boolean): Promise<BuiltPayload> {
  const whole = buildPayload(input, sha256);
  const sent = isFresh ? null : await recordedMessages(state, input, whole, requests);
  if (!sent) return whole;
  const next = buildPayload(input, sha256, true, undefined, sent);
  return continues(next, whole, sent, input) ? { ...next, trace: [...keptTrace(sent.trace, input, next.parts.continued!), ...next.trace] } : whole;
}

/** What the passes did with the messages that are kept of a request. */
function keptTrace(trace: readonly TraceEntry[], { messages }: PayloadInput, { from, keep }: Continued): readonly TraceEntry[] {
  const kept = new Set(messages.slice(0, from).map(({ uuid }) => uuid));
  return trace.filter(({ source, target }) => (source ? kept.has(source.uuid) : (target?.message ?? keep) < keep));
}

/** The payload of messages that belong to no session. */
export function normalizedView(
  input: NormalizeInput,
  defaults: { readonly model: string; readonly provider?: Provider | undefined; readonly maxTokens: number },
  sha256: Sha256,
): NormalizedView {
  const notes: FieldError[] = [];
  const viewInput: PayloadInput = {
    messages: readMessages(input.messages, notes),
    system: input.system ?? null,
    context: input.userContext ?? {},
    systemContext: input.systemContext ?? {},
    tools: input.tools ?? [],
    gates: gatesOf(input.gates ?? {}),
    model: input.model ?? defaults.model,
    maxTokens: defaults.maxTokens,
    ...(defaults.provider ? { provider: defaults.provider } : {}),
    ...(input.modelOptions ? { options: input.modelOptions } : {}),
    // The caller decides about cache markers.
    cacheMarkers: false,
  };
  if (profileFor(viewInput.model, defaults.provider).family === 'unknown') notes.unshift(UNKNOWN_MODEL);
  return { ...answer(buildPayload(viewInput, sha256), viewInput), breaks: [], notes: notes.map(({ pointer, text }) => ({ pointer, detail: text })) };
}

/** A dry run only: a session's requests are refused by the provider. */
const UNKNOWN_MODEL: FieldError = {
  pointer: '/model',
  text: 'is unknown to this server; the payload is made and checked for the strictest limits of all models',
};

function answer({ payload, body, digest, changedOptions, trace }: BuiltPayload, { gates, provider }: PayloadInput): Omit<NormalizedView, 'breaks' | 'notes'> {
  return { payload, body, digest, trace, changedOptions, problems: problemsOf(payload, gates, provider) };
}

function gatesOf(given: Readonly<Record<string, boolean>>): NormalizeGates {
  const unknown = Object.keys(given).filter((name) => !(NORMALIZE_GATES as readonly string[]).includes(name));
  if (unknown.length > 0) {
    throw new DomainError(
      'invalid_input',
      `There is no gate of that name; the gates are ${NORMALIZE_GATES.join(', ')}.`,
      unknown.map((name) => ({ pointer: `/gates/${pointerSegment(name)}`, text: 'is not a gate' })),
    );
  }
  return { ...DEFAULT_NORMALIZE_GATES, ...given };
}
