import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { CachedSessions } from '../../src/engine/store/cached-sessions.js';
import { checkRequest } from '../../packages/normalizer/api-rules/index.js';
import { profileFor } from '../../packages/normalizer/models/profiles.js';
import type { EventData, EventType, SessionEvent } from '../../packages/protocol/events/events.js';
import { SentRequests, type SentView } from '../../src/engine/queries/sent-requests.js';
import { payloadInput } from '../../src/session/payload/payload-input.js';
import type { SessionState } from '../../src/session/state/state.js';
import { buildPayload } from '../../packages/normalizer/build-payload.js';
import { providerIn } from '../../packages/normalizer/models/profiles.js';
import { DEFAULT_NORMALIZE_GATES } from '../../packages/protocol/gates.js';
import type { Blobs } from '../../src/ports/index.js';
import type { SimulatedClient } from './client.js';
import { SIMULATED_SETTINGS } from './settings.js';
import { folderLaws } from './folder-laws.js';
import { idleTurns, lateInterrupts } from './delays.js';
import { losses, refusals } from './losses.js';
import type { World } from './world.js';

const { TOOL_RESULT_TIMEOUT_MS, MODEL_RETRY_MAX_MS } = SIMULATED_SETTINGS;
const NO_BLOBS = { get: async () => new Map() } as unknown as Blobs;
const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

/** What must hold for a session that has come to rest, whatever happened on the way. Returns what does not. */
export async function violations(world: World, client: SimulatedClient, verifyPayloads: boolean): Promise<readonly string[]> {
  const events = await world.store.events.load(client.tenantId, client.sessionId);
  const found = [
    ...client.told.mismatches.map((text) => `a repeated command was answered differently: ${text}`),
    ...sequence(events),
    ...prompts(events, client),
    ...calls(events),
    ...losses(events, world, client),
    ...idleTurns(events, world, client),
    ...lateInterrupts(events, world, client),
    ...refusals(world, client),
    ...interrupts(events, client),
    ...times(events),
    ...(await folderLaws(events, world, client)),
    ...(verifyPayloads ? await payloads(events, world, client) : []),
  ];
  return found.map((text) => `session ${client.sessionId}: ${text}`);
}

/** No tool, and no command of bash mode, ran twice. */
export function repeatedRuns({ executions }: World): readonly string[] {
  return [...executions].flatMap(([id, times]) => (times > 1 ? [`tool call ${id} ran ${times} times`] : []));
}

/** Nothing is left when all sessions are at rest. */
export function remainingWork(world: World): readonly string[] {
  return [
    ...[...world.queue.entries.keys()].map((id) => `job ${id} is still in the queue`),
    ...world.store.jobs().map((id) => `job ${id} is still in the outbox`),
  ];
}

function of<T extends EventType>(events: readonly SessionEvent[], type: T): readonly EventData[T][] {
  return events.flatMap((event) => (event.type === type ? [event.data as EventData[T]] : []));
}

export function sequence(events: readonly SessionEvent[]): readonly string[] {
  const gap = events.findIndex(({ seq }, index) => seq !== index + 1);
  const backwards = events.findIndex(({ time }, index) => index > 0 && time < events[index - 1]!.time);
  return [...(gap < 0 ? [] : [`event ${gap + 1} is missing`]), ...(backwards < 0 ? [] : [`time runs backwards at event ${backwards + 1}`])];
}

/** Accepted once, ended once, in the order of acceptance. */
function prompts(events: readonly SessionEvent[], { told }: SimulatedClient): readonly string[] {
  const found: string[] = [];
  const accepted = of(events, 'prompt.submitted').map(({ submission }) => submission.promptId);
  for (const { promptId } of told.prompts) {
    const times = accepted.filter((id) => id === promptId).length;
    if (times !== 1) found.push(`prompt ${promptId} was accepted, and is in the log ${times} times`);
  }
  if (accepted.length !== told.prompts.length) found.push(`${told.prompts.length} prompts were accepted, ${accepted.length} are in the log`);
  const withdrawn = new Set(of(events, 'prompt.withdrawn').map(({ promptId }) => promptId));
  for (const promptId of told.withdrawn) if (!withdrawn.has(promptId)) found.push(`the withdrawal of ${promptId} is not in the log`);
  const started = of(events, 'turn.started');
  const due = accepted.filter((promptId) => !withdrawn.has(promptId));
  if (JSON.stringify(started.map(({ promptId }) => promptId)) !== JSON.stringify(due)) found.push('turns did not start in the order of acceptance');
  const ends = [...of(events, 'turn.completed'), ...of(events, 'turn.interrupted'), ...of(events, 'turn.failed')].map(({ turnId }) => turnId);
  for (const { turnId } of started) {
    const times = ends.filter((id) => id === turnId).length;
    if (times !== 1) found.push(`turn ${turnId} ended ${times} times`);
  }
  return found;
}

/** Each started call has exactly one outcome, each call exactly one result. */
export function calls(events: readonly SessionEvent[]): readonly string[] {
  const found: string[] = [];
  const completed = of(events, 'tool.completed').map(({ toolUseId }) => toolUseId);
  const commands = new Set(of(events, 'prompt.submitted').map(({ submission }) => submission.promptId)); // of bash mode, whose outcome is the turn's preparation
  for (const { toolUseId } of of(events, 'tool.started')) {
    if (commands.has(toolUseId)) continue;
    const times = completed.filter((id) => id === toolUseId).length;
    if (times !== 1) found.push(`call ${toolUseId} started and has ${times} outcomes`);
  }
  const messages = of(events, 'message.appended').map(({ message }) => message);
  const results = messages.flatMap((message) =>
    message.type === 'user' && typeof message.content !== 'string'
      ? message.content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []))
      : [],
  );
  const asked = messages.flatMap((message) =>
    message.type === 'assistant' ? message.message.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])) : [],
  );
  for (const id of asked) {
    const times = results.filter((result) => result === id).length;
    if (times !== 1) found.push(`call ${id} has ${times} results`);
  }
  return found;
}

function interrupts(events: readonly SessionEvent[], { told }: SimulatedClient): readonly string[] {
  const requested = of(events, 'turn.interrupt_requested').length;
  return requested <= told.interrupts ? [] : [`${requested} turns were interrupted, ${told.interrupts} interrupts were sent`];
}

/** Waits end by the reference clock, whatever a worker's clock says. */
function times(events: readonly SessionEvent[]): readonly string[] {
  const found: string[] = [];
  const slackMs = 60_000;
  for (const [index, event] of events.entries()) {
    const at = Date.parse(event.time);
    if (event.type === 'request.sent') {
      const failed = events.slice(0, index).findLast((earlier) => earlier.type === 'request.failed' || earlier.type === 'request.sent');
      if (
        failed?.type === 'request.failed' &&
        failed.data.retryAt !== null &&
        failed.data.error.code !== 'worker_lost' &&
        at - Date.parse(failed.time) > MODEL_RETRY_MAX_MS + slackMs
      )
        found.push(`the retry at event ${event.seq} waited ${at - Date.parse(failed.time)} ms`);
    }
    const previous = events.slice(0, index).findLast(({ type, time }) => type !== 'tool.decided' || time !== event.time);
    if (event.type === 'tool.decided' && event.data.by.kind === 'timeout' && previous && at - Date.parse(previous.time) < TOOL_RESULT_TIMEOUT_MS)
      found.push(`the wait that ended at event ${event.seq} expired after ${at - Date.parse(previous.time)} ms`);
  }
  return found;
}

/** Every request is rebuilt from the log byte for byte, is one that the model API accepts, and contains the instructions that are in force. What was made from erased content cannot be rebuilt. */
async function payloads(events: readonly SessionEvent[], { store, instructions }: World, { tenantId, sessionId }: SimulatedClient): Promise<readonly string[]> {
  const found: string[] = [];
  const sessions = new CachedSessions(store.events, 0);
  const eventAt = async (seq: number): Promise<SessionEvent> => events[seq - 1]!;
  const requests = new SentRequests({ tenantId, sessionId }, NO_BLOBS, (seq) => sessions.loadAt(tenantId, sessionId, seq), eventAt, sha256);
  const [first] = events;
  const from = first?.type === 'session.created' ? first.data.forkedFrom : undefined;
  const shared = from ? await store.events.load(tenantId, from.sessionId) : [];
  if ([...events, ...shared].some(({ type }) => type === 'content.erased')) return [];
  for (const event of events) {
    if (event.type !== 'request.sent') continue;
    const request = event.data;
    if (request.at !== event.seq - 1) found.push(`request ${request.requestId} was made from version ${request.at} and recorded as event ${event.seq}`);
    const then = await requests.before({ seq: event.seq, sent: request });
    const sent = await requests.view(then, request.requestId);
    if ('fault' in sent) {
      found.push(`request ${request.requestId}: ${sent.fault ?? 'its content is gone'}`);
      continue;
    }
    const missing = instructions.missingIn(sent.body, then, event, events);
    if (missing !== null) found.push(`request ${request.requestId} ${missing}`);
    const problems = checkRequest(JSON.parse(sent.body) as never, profileFor(request.model));
    if (sent.digest !== request.digest) found.push(`request ${request.requestId} cannot be rebuilt`);
    found.push(...unlikeComputed(then, request, sent));
    if (problems.length > 0) found.push(`request ${request.requestId} is invalid: ${JSON.stringify(problems[0])}`);
  }
  return found;
}

/** The same build computes what was recorded: body, conversation and trace. */
function unlikeComputed(then: SessionState, request: EventData['request.sent'], sent: SentView): readonly string[] {
  const { requestId, model, gates, profile, betas = [], maxTokens, compaction } = request;
  const summary = compaction ? { summary: { requestId, ...compaction } } : {};
  const input = payloadInput(then, { model, gates: { ...DEFAULT_NORMALIZE_GATES, ...gates }, betas, provider: providerIn(profile), maxTokens, ...summary });
  const computed = buildPayload(input, sha256);
  const differs = (what: string, one: unknown, other: unknown): readonly string[] =>
    isDeepStrictEqual(one, other)
      ? []
      : [`request ${requestId} has recorded another ${what} than is computed: ${JSON.stringify(one)} instead of ${JSON.stringify(other)}`];
  return [
    ...differs('body', sent.body, computed.body),
    ...differs('conversation', sent.original, input.messages),
    ...differs('trace', only(sent.trace, computed.trace), only(computed.trace, sent.trace)),
    ...differs('prefix', sent.prefixDigests, computed.prefixDigests),
  ];
}

/** The entries of one trace that the other has not. */
function only(one: SentView['trace'], other: SentView['trace']): readonly string[] {
  const known = new Set(other.map((entry) => JSON.stringify(entry)));
  return one.map((entry) => JSON.stringify(entry)).filter((entry) => !known.has(entry));
}
