import { WORKER_ID } from '../../src/engine/commands/execute.js';
import type { SessionEvent } from '../../packages/protocol/events/events.js';
import { turnJob } from '../../src/session/state/turn-jobs.js';
import type { SimulatedClient } from './client.js';
import { SIMULATED_SETTINGS } from './settings.js';
import type { World } from './world.js';

const { MODEL_RETRY_MAX_MS } = SIMULATED_SETTINGS;

/** Virtual milliseconds, a handful of calls to the store. */
const PROMPT_MS = 50;

/** The same when the queue lies between. */
const QUEUED_MS = 100;

/** A turn that runs, as far as the log is read. */
interface Running {
  readonly turnId: string;
  readonly jobId: string;
  /** Requests and calls that are being worked on. */
  readonly open: Set<string>;
  /** Since when the next step is due: the last event of the worker, a decision of a person, the end of a call. */
  due: number;
  interruptedAt: number | null;
  /** The process that took the request to stop it. */
  interruptedBy: readonly string[];
  /** Processes that had to do with it lately. */
  readonly processes: Set<string>;
}

/**
 * A turn that a worker has claimed continues within 50 ms of whatever it waited for: its claim, an answer of the model, the end of a call, a decision. A pause is longer only
 * because of something that happened to a process that had to do with it.
 */
export function idleTurns(events: readonly SessionEvent[], world: World, client: SimulatedClient): readonly string[] {
  return steps(events, world, client).flatMap(({ running, event, at, claim }) => {
    const ends = [...running.open].map((id) => world.observed.endOf(id));
    if (ends.some((end) => end > at)) return [];
    const from = Math.max(running.due, claim, ...ends);
    return tooLate(world, running, from, at) ? [`turn ${running.turnId} did nothing for ${at - from} ms before event ${event.seq} (${event.type})`] : [];
  });
}

/** A running turn ends within 50 ms of the request to stop it. */
export function lateInterrupts(events: readonly SessionEvent[], world: World, client: SimulatedClient): readonly string[] {
  return steps(events, world, client).flatMap(({ running, event, at, claim }) => {
    if (event.type !== 'turn.interrupted' || running.interruptedAt === null) return [];
    const from = Math.max(running.interruptedAt, claim);
    return tooLate(world, running, from, at) ? [`turn ${running.turnId} ended ${at - from} ms after the request to stop it`] : [];
  });
}

function tooLate({ incidents, scenario }: World, { processes, interruptedBy }: Running, from: number, at: number): boolean {
  const limit = scenario.dispatch === 'direct' ? PROMPT_MS : QUEUED_MS;
  return at - from > limit + incidents.explained([...processes, ...interruptedBy], from, at);
}

interface Step {
  readonly running: Running;
  readonly event: SessionEvent;
  readonly at: number;
  /** When the worker that made it claimed the turn. */
  readonly claim: number;
}

/** Each event of a worker about a turn, with the turn as it was before it. */
function steps(events: readonly SessionEvent[], { observed }: World, { sessionId }: SimulatedClient): readonly Step[] {
  const found: Step[] = [];
  let running: Running | null = null;
  for (const event of events) {
    const at = Date.parse(event.time);
    const author = observed.author(sessionId, event.seq);
    if (running && event.actor.id === WORKER_ID) {
      const claim = observed.claim(running.jobId, at);
      if (claim) running.processes.add(claim.process);
      running.processes.add(author);
      found.push({ running: { ...running, open: new Set(running.open), processes: new Set(running.processes) }, event, at, claim: claim?.at ?? at });
      running.processes.clear();
      running.processes.add(author);
      running.due = at;
    }
    running = after(running, event, at, author);
  }
  return found;
}

function after(running: Running | null, event: SessionEvent, at: number, author: string): Running | null {
  switch (event.type) {
    case 'turn.started':
    case 'turn.resumed': {
      const { turnId } = event.data;
      const jobId = turnJob(turnId, event.type === 'turn.started' ? 0 : event.seq);
      return {
        turnId,
        jobId,
        open: new Set(),
        due: at,
        interruptedAt: running?.interruptedAt ?? null,
        interruptedBy: running?.interruptedBy ?? [],
        processes: new Set([author]),
      };
    }
    case 'turn.waiting':
    case 'turn.completed':
    case 'turn.interrupted':
    case 'turn.failed':
      return null;
    case 'turn.interrupt_requested':
      return running && { ...running, interruptedAt: running.interruptedAt ?? at, interruptedBy: [author] };
    case 'request.sent':
      running?.open.add(event.data.requestId);
      return running;
    case 'request.completed':
      running?.open.delete(event.data.requestId);
      return running;
    case 'request.failed':
      running?.open.delete(event.data.requestId);
      if (running) running.due = at + (event.data.retryAt === null || event.data.error.code === 'worker_lost' ? 0 : MODEL_RETRY_MAX_MS);
      return running;
    case 'tool.started':
      running?.open.add(event.data.toolUseId);
      return running;
    case 'tool.completed':
      running?.open.delete(event.data.toolUseId);
      return running;
    case 'turn.prepared': // a command of bash mode has ended with it
      running?.open.clear();
      return running;
    case 'tool.decided':
      if (running) running.due = at;
      return running;
    default:
      return running;
  }
}
