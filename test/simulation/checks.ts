import { createHash } from 'node:crypto';
import { checkRequest } from '../../src/core/api-rules/index.js';
import type { NormalizeGates } from '../../src/core/gates.js';
import { profileFor } from '../../src/core/models/profiles.js';
import { buildPayload } from '../../src/core/normalize/build-payload.js';
import { payloadInput } from '../../src/core/normalize/payload-input.js';
import type { EventData, EventType, SessionEvent } from '../../src/core/session/events.js';
import { evolve } from '../../src/core/session/evolve.js';
import { emptyState } from '../../src/core/session/state.js';
import { type SimulatedClient, TENANT } from './client.js';
import { SIMULATED_SETTINGS } from './settings.js';
import type { World } from './world.js';

const { TOOL_RESULT_TIMEOUT_MS, MODEL_RETRY_MAX_MS } = SIMULATED_SETTINGS;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** What must hold for a session that has come to rest, whatever happened on the way. Returns what does not. */
export async function violations(world: World, client: SimulatedClient, verifyPayloads: boolean): Promise<readonly string[]> {
  const events = await world.store.events.load(TENANT, client.sessionId);
  const found = [
    ...client.told.mismatches.map((text) => `a repeated command was answered differently: ${text}`),
    ...sequence(events),
    ...prompts(events, client),
    ...calls(events, world),
    ...takeovers(events, world),
    ...interrupts(events, client),
    ...times(events),
    ...(verifyPayloads ? payloads(events) : []),
  ];
  return found.map((text) => `session ${client.sessionId}: ${text}`);
}

/** The queue, the outbox and the sessions at rest. */
export function remainingWork(world: World): readonly string[] {
  const jobs = [...world.queue.entries.keys()];
  return jobs.map((id) => `job ${id} is still in the queue`);
}

function of<T extends EventType>(events: readonly SessionEvent[], type: T): readonly EventData[T][] {
  return events.flatMap((event) => (event.type === type ? [event.data as EventData[T]] : []));
}

function sequence(events: readonly SessionEvent[]): readonly string[] {
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

/** Each started call has exactly one outcome, each call exactly one result, and no tool ran twice. */
function calls(events: readonly SessionEvent[], world: World): readonly string[] {
  const found: string[] = [];
  const completed = of(events, 'tool.completed').map(({ toolUseId }) => toolUseId);
  for (const { toolUseId } of of(events, 'tool.started')) {
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
    if ((world.executions.get(id) ?? 0) > 1) found.push(`tool call ${id} ran ${world.executions.get(id)} times`);
  }
  return found;
}

/** A worker is recorded as lost only where the queue delivered the turn again: two workers on one turn record each other as lost. */
function takeovers(events: readonly SessionEvent[], world: World): readonly string[] {
  const lost = new Map<string, number>();
  for (const { turnId, error } of of(events, 'request.failed')) if (error.code === 'worker_lost') lost.set(turnId, (lost.get(turnId) ?? 0) + 1);
  return [...lost].flatMap(([turnId, times]) => {
    const deliveries = world.takeovers.get(turnId) ?? 0;
    return times < deliveries ? [] : [`turn ${turnId} recorded ${times} lost workers in ${deliveries} deliveries`];
  });
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
    const previous = events[index - 1];
    if (event.type === 'tool.decided' && event.data.by.kind === 'timeout' && previous && at - Date.parse(previous.time) < TOOL_RESULT_TIMEOUT_MS)
      found.push(`the wait that ended at event ${event.seq} expired after ${at - Date.parse(previous.time)} ms`);
  }
  return found;
}

/** Every request is rebuilt from the log byte for byte, and is one that the model API accepts. */
function payloads(events: readonly SessionEvent[]): readonly string[] {
  const state = emptyState();
  return events.flatMap((event) => {
    if (event.type !== 'request.sent') return [];
    const { at, model, gates, maxTokens, digest, requestId } = event.data;
    for (const earlier of events.slice(state.version, at)) evolve(state, earlier);
    const built = buildPayload(payloadInput(state, { model, gates: gates as NormalizeGates, maxTokens }), sha256);
    const problems = checkRequest(JSON.parse(built.body) as never, profileFor(model));
    return [
      ...(built.digest === digest ? [] : [`request ${requestId} cannot be rebuilt`]),
      ...problems.slice(0, 1).map((problem) => `request ${requestId} is invalid: ${JSON.stringify(problem)}`),
    ];
  });
}
