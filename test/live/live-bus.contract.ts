import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ERASURES, erasureChannel, EVERY_SESSION, type LiveSignal } from '../../src/ports/index.js';
import type { LiveBusOptions, SharedLiveBus } from '../../src/platform/live/shared-live-bus.js';
import { Gathered } from '../support/gathered-attachments.js';
import { until } from '../support/until.js';

export interface LiveBusServer {
  open(options: LiveBusOptions): SharedLiveBus;
  /** Closes the connections of every bus, as a restart of the server does: all, or those that only send. */
  killConnections(which: 'all' | 'speaking'): Promise<void>;
  close(): Promise<void>;
}

const advanced = (sessionId: string, seq: number): LiveSignal => ({ kind: 'advanced', sessionId, seq });
const delta = (sessionId: string, data: string): LiveSignal => ({ kind: 'delta', sessionId, type: 'message.delta', data });
const isDelta = (signal: LiveSignal) => signal.kind === 'delta';
const texts = (signals: readonly LiveSignal[]) => signals.flatMap((signal) => (signal.kind === 'delta' ? [signal.data] : []));

/** Each bus of a test stands for its own process. */
export function liveBusContract(start: () => Promise<LiveBusServer>): void {
  let server: LiveBusServer;
  let open: SharedLiveBus[] = [];

  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server.close());
  afterEach(async () => {
    await Promise.all(open.map((bus) => bus.close()));
    open = [];
  });

  async function opened(options: Partial<LiveBusOptions> = {}): Promise<SharedLiveBus> {
    // No bus is taken for dead on a slow machine.
    const created = server.open({ report: () => undefined, heartbeatMs: 60_000, ...options });
    open.push(created);
    await created.listening();
    return created;
  }

  /** Collects the signals of a session from now on, those of other processes too. */
  async function collect(at: SharedLiveBus, sessionId: string, only?: 'hints'): Promise<Gathered<LiveSignal>> {
    const received = new Gathered<LiveSignal>();
    at.subscribe(sessionId, received.add, only);
    await at.received(sessionId);
    received.items.length = 0;
    return received;
  }

  it('calls its own listeners before publish returns, and those of every other process once', async () => {
    const [here, there] = [await opened(), await opened()];
    const [own, other] = [await collect(here, 's'), await collect(there, 's')];
    here.publish(advanced('s', 7));
    expect(own.items).toEqual([advanced('s', 7)]);
    await other.count(1);
    here.publish(delta('s', 'after'));
    await other.count(2);
    expect(other.items).toEqual([advanced('s', 7), delta('s', 'after')]);
    expect(own.items).toEqual([advanced('s', 7), delta('s', 'after')]);
  });

  it('keeps the order of deltas, including equal ones, and delivers them to listeners of the session only', async () => {
    const [here, there] = [await opened(), await opened()];
    const [a, b] = [await collect(there, 'a'), await collect(there, 'b')];
    const sent = Array.from({ length: 300 }, (_, index) => (index % 3 === 0 ? 'again' : `${index}`));
    for (const text of sent) {
      here.publish(delta('a', text));
      if (text === 'again') await new Promise(setImmediate); // so that some meet in a batch and some do not
    }
    here.publish(delta('b', 'only'));
    await Promise.all([a.count(sent.length), b.count(1)]);
    expect(texts(a.items)).toEqual(sent);
    expect(texts(b.items)).toEqual(['only']);
  });

  it('sends only the highest of many hints for a session, after the deltas published before it', async () => {
    const [here, there] = [await opened(), await opened()];
    const received = await collect(there, 's');
    here.publish(delta('s', 'first'));
    for (const seq of [3, 9, 5]) here.publish(advanced('s', seq));
    here.publish(delta('s', 'second'));
    await received.count(3);
    expect(received.items).toEqual([delta('s', 'first'), advanced('s', 9), delta('s', 'second')]);
  });

  it('serves two hundred sessions at once', async () => {
    const [here, there] = [await opened(), await opened()];
    const sessions = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => ({ id: `session-${index}`, received: await collect(there, `session-${index}`) })),
    );
    for (let seq = 1; seq <= 20; seq += 1) {
      for (const { id } of sessions) {
        here.publish(delta(id, `${id} ${seq}`));
        here.publish(advanced(id, seq));
      }
      await new Promise(setImmediate);
    }
    const last = (items: readonly LiveSignal[]) => items.some((signal) => signal.kind === 'advanced' && signal.seq === 20);
    for (const { id, received } of sessions) {
      await received.until(last);
      expect(texts(received.items)).toEqual(Array.from({ length: 20 }, (_, index) => `${id} ${index + 1}`));
    }
  });

  it('delivers a delta of 100 KB with characters of every width unchanged', async () => {
    const [here, there] = [await opened(), await opened()];
    const received = await collect(there, 's');
    const text = 'aé€😀"\\\n\u0000\ud800'.repeat(7_000);
    here.publish(delta('s', text));
    here.publish(delta('s', 'after it'));
    await received.count(2);
    expect(texts(received.items)).toEqual([text, 'after it']);
  });

  /** What a bus has received from others since. */
  function counted(bus: SharedLiveBus): Record<'hint' | 'delta' | 'others', number> {
    const counts = { hint: 0, delta: 0, others: 0 };
    bus.onReceived((what, by) => (counts[what] += by));
    return counts;
  }

  it('parses the deltas of the sessions that are read in its process, and receives those of their buckets', async () => {
    const [here, reader, idle, hinted] = [
      await opened({ buckets: 8 }),
      await opened({ buckets: 8 }),
      await opened({ buckets: 8 }),
      await opened({ buckets: 8 }),
    ];
    const [read, none, hints] = [counted(reader), counted(idle), counted(hinted)];
    const received = await collect(reader, 'session-0');
    const ended = await collect(hinted, 'session-0', 'hints');
    for (let number = 1; number <= 10; number += 1) for (let session = 0; session < 40; session += 1) here.publish(delta(`session-${session}`, `${number}`));
    for (let session = 0; session < 40; session += 1) here.publish(advanced(`session-${session}`, 10));
    await Promise.all([received.count(11), ended.count(1)]);
    expect(read.delta).toBe(10);
    expect(read.others).toBeLessThanOrEqual(200); // a quarter is expected in two of eight buckets
    expect(ended.items).toEqual([advanced('session-0', 10)]);
    expect(hints.delta + hints.others).toBe(0);
    expect(read.hint).toBeLessThanOrEqual(20);
    // What is for all comes after it.
    const grown = new Gathered<LiveSignal>();
    idle.subscribe(EVERY_SESSION, grown.add);
    here.publish(advanced('session-1', 11));
    await grown.count(1);
    expect(none).toEqual({ hint: 0, delta: 0, others: 0 });
  });

  it('loses no delta that is published after a subscription is received', async () => {
    const [here, there] = [await opened(), await opened()];
    for (let round = 0; round < 30; round += 1) {
      const id = `late-${round}`;
      let next = 0;
      const publishing = setInterval(() => here.publish(delta(id, `${(next += 1)}`)), 0);
      const received = new Gathered<LiveSignal>();
      there.subscribe(id, received.add);
      await there.received(id);
      const from = next + 1;
      await until('more was published', async () => next >= from + 5);
      clearInterval(publishing);
      await received.until((items) => texts(items).includes(`${next}`));
      expect(texts(received.items).filter((text) => Number(text) >= from)).toEqual(Array.from({ length: next - from + 1 }, (_, index) => `${from + index}`));
    }
  });

  it('tells a new subscriber that signals may have been missed, once those of others are received', async () => {
    await opened();
    const there = await opened();
    const received = new Gathered<LiveSignal>();
    there.subscribe('s', received.add);
    await there.received('s');
    expect(received.items).toEqual([advanced('s', 0)]);
  });

  it('receives a bucket no longer when it has had no reader for some heartbeats', async () => {
    const [here, there] = [await opened(), await opened({ heartbeatMs: 50 })];
    const leave = there.subscribe('s', () => undefined);
    expect(there.topics).toBe(2);
    leave();
    await until('nothing is received', async () => there.topics === 0);
    const received = await collect(there, 's');
    // On a slow machine the receiver takes its connection for dead now and then, and misses what is sent until it has another.
    await until('it is received again', async () => {
      here.publish(delta('s', 'again'));
      return texts(received.items).includes('again');
    });
  });

  it('hears processes with another number of buckets', async () => {
    const [few, many] = [await opened({ buckets: 2, heartbeatMs: 50 }), await opened({ buckets: 128, heartbeatMs: 50 })];
    const [atFew, atMany] = [await collect(few, 's'), await collect(many, 's')];
    await until('they know of each other', async () => {
      few.publish(advanced('s', 1));
      many.publish(advanced('s', 2));
      return atMany.items.some(({ kind, ...signal }) => kind === 'advanced' && 'seq' in signal && signal.seq === 1) && atFew.items.length > 0;
    });
    few.publish(delta('s', 'once'));
    few.publish(advanced('s', 3));
    await atMany.until((items) => items.some((signal) => signal.kind === 'advanced' && signal.seq === 3));
    expect(texts(atMany.items)).toEqual(['once']);
  });

  it('tells all processes of erasures, and that some session has changed', async () => {
    const [here, there] = [await opened(), await opened()];
    const [erased, grown] = [new Gathered<LiveSignal>(), new Gathered<LiveSignal>()];
    there.subscribe(ERASURES, erased.add);
    there.subscribe(EVERY_SESSION, grown.add);
    here.publish(advanced('s', 1));
    here.publish(advanced(erasureChannel('tenant', 's'), 0));
    await Promise.all([erased.count(1), grown.count(1)]);
    expect(erased.items).toEqual([advanced(erasureChannel('tenant', 's'), 0)]);
  });

  it('has one leader, a worker, and another one after it has left', async () => {
    const buses = [await opened({ isWorker: false }), await opened(), await opened()];
    const leaders = (): readonly number[] => buses.flatMap((bus, index) => (bus.rank === 0 ? [index] : []));
    await until('one leads', async () => leaders().length === 1);
    const [leader] = leaders();
    expect(leader).not.toBe(0);
    await buses[leader!]!.close();
    // The process that is no worker may hear `bye` of the first before `hello` of the second, and lead in between.
    await until('only the other worker leads', async () => `${leaders().filter((index) => index !== leader)}` === `${3 - leader!}`);
  });

  it('drops the oldest deltas and no hint when its buffer is full, and reports it', async () => {
    const problems = new Gathered<string>();
    const here = await opened({ bufferBytes: 10_000, report: (problem) => problems.add(problem) });
    const received = await collect(await opened(), 's');
    const sent = Array.from({ length: 100 }, (_, index) => `${index}`.padStart(1_000, '.'));
    here.publish(advanced('s', 1));
    for (const text of sent) here.publish(delta('s', text));
    here.publish(advanced('t', 1));
    here.publish(delta('s', 'last'));
    await received.until((items) => texts(items).includes('last'));
    const deltas = texts(received.items);
    expect(received.items[0]).toEqual(advanced('s', 1));
    expect(deltas.length).toBeLessThan(12);
    expect(deltas).toEqual([...sent, 'last'].slice(-deltas.length));
    expect(await problems.count(1)).toEqual([expect.stringMatching(/deltas were dropped/)]);
  });

  it('sends every listener a hint after its connections were closed, and continues', async () => {
    const [here, there] = [await opened(), await opened()];
    const [own, other] = [await collect(here, 's'), await collect(there, 's')];
    for (let round = 1; round <= 2; round += 1) {
      own.items.length = other.items.length = 0;
      await server.killConnections('all');
      await Promise.all([own.until((items) => items.some((signal) => !isDelta(signal))), other.count(1)]);
      expect(other.items[0]).toEqual(advanced('s', 0));
      expect(own.items[0]).toEqual(advanced('s', 0));
      here.publish(advanced('s', round));
      await other.until((items) => items.some((signal) => signal.kind === 'advanced' && signal.seq === round));
    }
  });

  it('loses no hint that is published while the connection is down', async () => {
    const [here, there] = [await opened(), await opened()];
    const received = await collect(there, 's');
    for (let seq = 1; seq <= 5; seq += 1) {
      const killed = server.killConnections('speaking');
      here.publish(advanced('s', 10 * seq));
      await killed;
      here.publish(advanced('s', 10 * seq + 1));
      await received.until((items) => items.some((signal) => signal.kind === 'advanced' && signal.seq === 10 * seq + 1));
    }
    expect(received.items).not.toContainEqual(advanced('s', 0)); // it was listening all the time
  });

  it('sends nothing while no other process listens, and starts when one does', async () => {
    const here = await opened({ heartbeatMs: 100 });
    const alone = new Gathered<boolean>();
    const watch = setInterval(() => alone.add(here.alone), 5);
    await alone.until((items) => items.at(-1) === true);
    const there = await opened({ heartbeatMs: 100 });
    await alone.until((items) => items.at(-1) === false);
    const received = await collect(there, 's');
    here.publish(advanced('s', 1));
    await received.count(1);
    await there.close();
    await alone.until((items) => items.at(-1) === true);
    clearInterval(watch);
  });

  it('removes listeners that unsubscribe, and isolates errors of listeners', async () => {
    const problems = new Gathered<string>();
    const here = await opened({ report: (problem) => problems.add(problem) });
    const left = Array.from({ length: 1_000 }, (_, index) => here.subscribe(`s${index % 10}`, () => undefined));
    left.push(here.onNotify(() => undefined));
    expect(here.subscribers).toBe(1_001);
    for (const leave of [...left, ...left]) leave();
    expect(here.subscribers).toBe(0);

    here.subscribe('s', () => {
      throw new Error('broken listener');
    });
    const received = await collect(here, 's');
    problems.items.length = 0;
    here.publish(advanced('s', 1));
    expect(received.items).toEqual([advanced('s', 1)]);
    expect(problems.items).toEqual([expect.stringMatching(/listener/)]);
  });

  describe('health', () => {
    it('is good while connected, and not after close', async () => {
      const here = await opened();
      const there = await opened();
      here.publish(advanced('s', 1)); // opens the sending connection
      await here.ping();
      await there.ping();
      await here.close();
      await expect(here.ping()).rejects.toThrow(/connection|closed/i);
      await here.close();
      here.publish(advanced('s', 2));
    });
  });
}
