import type { SessionEvent } from '../../packages/protocol/events/events.js';
import type { IncidentKind } from './incidents.js';
import type { SimulatedClient } from './client.js';
import { SIMULATED_SETTINGS } from './settings.js';
import type { World } from './world.js';

const { SHUTDOWN_GRACE_MS, JOB_LOCK_MS } = SIMULATED_SETTINGS;

const EVERY_FAULT: readonly IncidentKind[] = ['crash', 'freeze', 'queue'];

/**
 * A worker is recorded as lost, and the outcome of a call as unknown, only if something went wrong with the process that sent the request or started the call, while
 * it was waiting for the answer, or with the queue that had given it the turn.
 */
export function losses(events: readonly SessionEvent[], { observed, incidents, scenario }: World, { sessionId }: SimulatedClient): readonly string[] {
  const begun = new Map<string, SessionEvent>();
  const found: string[] = [];
  const check = (id: string, event: SessionEvent, what: string, kinds: readonly IncidentKind[]): void => {
    const beginning = begun.get(id);
    if (!beginning) return void found.push(`${what} at event ${event.seq} never began`);
    const process = observed.author(sessionId, beginning.seq);
    const [from, until] = [Date.parse(beginning.time), Date.parse(event.time)];
    if (until - incidents.beginOf('stop', process) >= SHUTDOWN_GRACE_MS) return;
    if (scenario.faults && incidents.concern([process], from - 1_000, until, kinds)) return;
    // The append that began it took place, and its answer was lost; or the leases were not renewed.
    if (incidents.concern([process], from - 10, from + 10, ['message']) || incidents.lasted('message', process, from, until) >= JOB_LOCK_MS / 2) return;
    found.push(`${what} at event ${event.seq}, and ${process} was well from ${from} to ${until}`);
  };
  for (const event of events) {
    if (event.type === 'request.sent') begun.set(event.data.requestId, event);
    else if (event.type === 'tool.started') begun.set(event.data.toolUseId, event);
    else if (event.type === 'request.failed' && event.data.error.code === 'worker_lost') check(event.data.requestId, event, 'a worker was lost', EVERY_FAULT);
    else if (event.type === 'tool.completed' && event.data.outcome === 'unknown')
      check(event.data.toolUseId, event, 'the outcome of a call was lost', EVERY_FAULT);
  }
  return found;
}

/** Codes that a client gets only if something went wrong. */
const UNEXPECTED: readonly string[] = ['unavailable', 'version_conflict', 'no answer', 'internal_error'];

/** Codes that a client never gets, whatever goes wrong: its session was recorded, and it uses each id once. */
const IMPOSSIBLE: readonly string[] = ['session_not_found', 'idempotency_mismatch'];

export function refusals({ incidents }: World, { told }: SimulatedClient): readonly string[] {
  const PATIENCE_MS = 20_000;
  return told.refused.flatMap(({ code, at, process }) =>
    IMPOSSIBLE.includes(code) || (UNEXPECTED.includes(code) && !incidents.concern([process], at - PATIENCE_MS, at))
      ? [`${process} answered ${code} although nothing was wrong with it`]
      : [],
  );
}
