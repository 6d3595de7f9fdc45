import { createHash, randomUUID } from 'node:crypto';
import type { Append, AppendOutcome, Job } from '../../src/ports/index.js';
import type { NewEvent, SessionEvent } from '../../packages/protocol/events/events.js';

/** Appends for tests of the store: whole and valid, so that a test names only what it is about. */

export interface Ids {
  readonly tenantId: string;
  readonly sessionId: string;
}

export function ids(): Ids {
  return { tenantId: randomUUID(), sessionId: randomUUID() };
}

export function closed(reason: string | null = null): NewEvent {
  return { type: 'session.closed', data: { reason } };
}

/** The report of an erasure of these events, with what is left of each. */
export function erasureOf(events: readonly { readonly seq: number; readonly data: object }[]): NewEvent {
  const report = { erasureId: randomUUID(), scope: 'session', reason: null, bytes: 1, blobs: 0, isComplete: true, events };
  return { type: 'content.erased', data: report } as unknown as NewEvent;
}

/** The n-th of many. */
export function numbered(count: number): readonly NewEvent[] {
  return Array.from({ length: count }, (_, index) => closed(`number ${index + 1}`));
}

export type Choices = Partial<Omit<Append, 'events' | 'summary'>> & {
  readonly events?: readonly NewEvent[];
  readonly summary?: Partial<Append['summary']>;
};

export function append(of: Ids, expectedVersion: number, { events = [closed()], summary, ...choices }: Choices = {}): Append {
  return {
    ...of,
    expectedVersion,
    commandId: randomUUID(),
    requestHash: createHash('sha256').update('a request').digest('hex'),
    actor: { kind: 'user', id: 'somebody' },
    events: events.map((event) => ({ ...event, id: randomUUID() })),
    jobs: [],
    completedJobs: [],
    claim: null,
    dispatch: null,
    summary: { userId: randomUUID(), title: null, model: 'a-model', status: 'idle', queueLength: 0, turnId: null, ...summary },
    ...choices,
  };
}

export function job(of: Ids, turnId: string = randomUUID()): Job {
  return { queue: 'turns', id: turnId, payload: { ...of, turnId } };
}

/** The events of an append that must have been carried out. */
export function appended(outcome: AppendOutcome): readonly SessionEvent[] {
  if (outcome.kind !== 'appended') throw new Error(`expected the append to be carried out, but: ${JSON.stringify(outcome)}`);
  return outcome.events;
}
