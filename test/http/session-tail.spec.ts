import { expect, it } from '@jest/globals';
import type { LiveSignal } from '../../src/ports/index.js';
import type { SessionEvent } from '../../packages/protocol/events/events.js';
import { SessionTail } from '../../src/http/stream/session-tail.js';
import { until } from '../support/until.js';

const event = (seq: number): SessionEvent => ({
  id: `e${seq}`,
  seq,
  type: 'session.reopened',
  time: '2030-01-01T00:00:00.000Z',
  sessionId: 's',
  actor: { kind: 'user', id: 'u' },
  data: {},
});

/** A tail of a log that others append to, and what its follower and the log were asked and told. */
function scene(heartbeatMs = 60_000) {
  const log: SessionEvent[] = [];
  const reads: number[] = [];
  const told: number[] = [];
  let hear: (signal: LiveSignal) => void = () => undefined;
  const bus = { subscribe: (_: string, listener: (signal: LiveSignal) => void) => ((hear = listener), () => undefined), received: async () => undefined };
  const page = async (after: number): Promise<readonly SessionEvent[]> => {
    reads.push(after);
    return log.slice(after);
  };
  const tail = new SessionTail('s', page, bus, { heartbeatMs, bufferBytes: 1_000 }, 0);
  tail.follow({
    receive: ({ stored }) => told.push(...stored.map((frame) => frame.event.seq)),
    heartbeat: () => undefined,
    outdated: () => undefined,
  });
  const append = (...seqs: readonly number[]): readonly SessionEvent[] => {
    const events = seqs.map(event);
    log.push(...events);
    return events;
  };
  const advanced = (seq: number, events?: readonly SessionEvent[]): void => hear({ kind: 'advanced', sessionId: 's', seq, ...(events ? { events } : {}) });
  return { tail, reads, told, append, advanced };
}

it('takes events from the process that wrote them without asking the log', async () => {
  const { tail, reads, told, append, advanced } = scene();
  await until('the first look is over', async () => reads.length === 1);
  await new Promise(setImmediate);
  advanced(2, append(1, 2));
  advanced(3, append(3));
  await until('all are told', async () => told.length === 3);
  expect(told).toEqual([1, 2, 3]);
  expect(reads).toEqual([0]);
  tail.close();
});

it('asks the log when it has missed some, and tells each event once', async () => {
  const { tail, reads, told, append, advanced } = scene();
  await until('the first look is over', async () => reads.length === 1);
  await new Promise(setImmediate);
  const [, second] = append(1, 2);
  advanced(2, [second!]);
  const third = append(3);
  advanced(3, third); // while the log is being read
  await until('all are told', async () => told.length === 3);
  advanced(3, third);
  expect(told).toEqual([1, 2, 3]);
  expect(reads.length).toBeGreaterThan(1);
  tail.close();
});

it('finds events that were not announced when its heartbeat is due', async () => {
  const { tail, reads, told, append } = scene(20);
  await until('the first look is over', async () => reads.length >= 1);
  append(1, 2);
  await until('all are told', async () => told.length === 2);
  expect(told).toEqual([1, 2]);
  tail.close();
});

it('asks the log when announcements may have been lost', async () => {
  const { tail, reads, told, append, advanced } = scene();
  await until('the first look is over', async () => reads.length === 1);
  await new Promise(setImmediate);
  append(1);
  advanced(0);
  await until('it is told', async () => told.length === 1);
  expect(told).toEqual([1]);
  tail.close();
});
