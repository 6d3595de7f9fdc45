import type { EventData, PrefixDigests, RecordedSentRequest, SentRequest } from '../../../packages/protocol/events/events.js';
import type { SentBody } from '../../../packages/protocol/request/sent-body.js';
import { inTurn } from './evolve-turn.js';
import type { LastSent, SessionState } from './state.js';
import { continuesAfter } from './stop-reasons.js';

export function sendRequest(state: SessionState, { body, ...sent }: RecordedSentRequest, seq: number, sentAt: string): void {
  state.bodies?.set(sent.requestId, body);
  state.requests.set(sent.requestId, {
    sent,
    seq,
    sentAt,
    status: 'open',
    providerRequestId: null,
    stopReason: null,
    usage: null,
    error: null,
    durationMs: null,
  });
  // A summary is a side request: the next request for an answer extends the one before it.
  if (sent.compaction === undefined) recordPrefix(state, sent, body, sentAt);
  inTurn(state, sent.turnId, (turn) => {
    turn.requestIds.push(sent.requestId);
    turn.finalStopReason = null;
  });
}

function recordPrefix(state: SessionState, request: SentRequest, body: SentBody | null, sentAt: string): void {
  const digests = digestsOf(state.lastSent, request);
  const { system, tools, messages } = digests;
  state.requestPrefixes.set(request.requestId, { system, tools, messages: messages.at(-1) ?? '' });
  state.lastSent = { request, sentAt, digests, conversation: body && conversationOf(state, body) };
}

/** Extends the list of the request before in place. The uuids are those of the messages, so that they are held once. */
function conversationOf({ lastSent, messages }: SessionState, { conversation: { keep, added } }: SentBody): readonly string[] {
  const uuids = (lastSent?.conversation ?? []) as string[];
  uuids.length = keep;
  for (const entry of added) uuids.push(typeof entry === 'string' ? (messages.get(entry)?.message.uuid ?? entry) : entry.uuid);
  return uuids;
}

/** Extends the digest list of the request before in place, so that shared digests are neither stored nor copied again. */
function digestsOf(earlier: LastSent | null, { prefix }: SentRequest): PrefixDigests {
  const messages = (earlier?.digests.messages ?? []) as string[];
  messages.length = prefix.shared;
  prefix.messages.forEach((digest, index) => {
    const position = prefix.at?.[index] ?? messages.length;
    while (messages.length < position) messages.push('');
    messages.push(digest);
  });
  return { system: prefix.system, tools: prefix.tools, messages, tail: prefix.tail };
}

export function completeRequest(state: SessionState, data: EventData['request.completed']): void {
  const request = state.requests.get(data.requestId);
  if (!request) return;
  request.status = 'completed';
  request.providerRequestId = data.providerRequestId;
  request.stopReason = data.stopReason;
  request.usage = data.usage;
  request.durationMs = data.durationMs;
  if (data.inputTransformations) request.inputTransformations = data.inputTransformations;
  if (data.cacheDiagnostics !== undefined) request.cacheDiagnostics = data.cacheDiagnostics;
  state.usage.requests += 1;
  state.usage.inputTokens += data.usage.input_tokens ?? 0;
  state.usage.outputTokens += data.usage.output_tokens ?? 0;
  state.usage.cacheReadTokens += data.usage.cache_read_input_tokens ?? 0;
  state.usage.cacheCreationTokens += data.usage.cache_creation_input_tokens ?? 0;
  inTurn(state, data.turnId, (turn) => {
    turn.failedAttempts = 0;
    turn.retryAt = null;
    // A completed summary does not end the turn.
    if (request.sent.compaction === undefined) turn.finalStopReason = continuesAfter(data.stopReason) ? null : (data.stopReason ?? 'unknown');
  });
}

export function failRequest(state: SessionState, data: EventData['request.failed']): void {
  const request = state.requests.get(data.requestId);
  if (!request) return;
  request.status = 'failed';
  request.error = data.error;
  request.providerRequestId = data.error.providerRequestId ?? null;
  request.durationMs = data.durationMs;
  inTurn(state, data.turnId, (turn) => {
    turn.failedAttempts = data.retryAt === null ? 0 : turn.failedAttempts + 1;
    turn.retryAt = data.retryAt;
  });
}
