import { evolve } from '../../session/state/evolve.js';
import type { VerifiedPlace } from '../../ports/index.js';
import type { ForkedFrom, SessionEvent } from '../../../packages/protocol/events/events.js';
import { logTampered } from '../../../packages/protocol/events/tampered.js';
import { inherited } from '../../session/decide/fork.js';
import type { SessionState } from '../../session/state/state.js';

/** A state and what it is made of. */
export interface FoldedState {
  readonly state: SessionState;
  /** Up to where the log was verified: up to the state's version. Null before the first event. */
  place: VerifiedPlace | null;
  bytes: number;
  /** By the clock of the limits. */
  usedAt: number;
}

/** What the events from the first one on say of a parent. */
export function forkedFrom([first]: readonly SessionEvent[]): ForkedFrom | null {
  return first?.type === 'session.created' ? (first.data.forkedFrom ?? null) : null;
}

/** The state of a fork before its own first event. Shared messages count in full, because they stay in memory when the parent is evicted. */
export function forkStart(parent: SessionState, from: ForkedFrom, bodies: SessionState['bodies']): Pick<FoldedState, 'state' | 'bytes'> {
  const state = { ...inherited(parent, from), bodies };
  let bytes = 0;
  for (const record of state.messages.values()) bytes += weight(record);
  return { state, bytes };
}

/** Skips events that are already applied. `place`: of the last one. */
export function advance(known: FoldedState, events: readonly SessionEvent[], place: VerifiedPlace | null): void {
  for (const event of events) {
    if (event.seq <= known.state.version) continue;
    apply(known.state, event);
    known.bytes += weight(kept(event, known.state));
  }
  if (place?.seq === known.state.version) known.place = place;
}

/** What a state holds of an event. */
const kept = ({ type, data }: SessionEvent, { bodies }: SessionState): unknown => (type === 'request.sent' && bodies === null ? { ...data, body: null } : data);

/** The rules for events do not expect data that no command wrote. */
function apply(state: SessionState, event: SessionEvent): void {
  try {
    evolve(state, event);
  } catch (cause) {
    throw Object.assign(logTampered(event.sessionId, { seq: event.seq, kind: 'fold' }), { cause });
  }
}

const OVERHEAD = 64;

/** The approximate size of a value in memory: two bytes per character and a fixed overhead per object. */
function weight(value: unknown): number {
  let total = 0;
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next === 'string') total += OVERHEAD + 2 * next.length;
    else if (typeof next === 'object' && next !== null) {
      total += OVERHEAD;
      for (const member of Object.values(next)) rest.push(member);
    }
  }
  return total;
}
