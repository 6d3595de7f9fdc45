import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { LiveSignal } from '../../src/core/ports.js';
import type { LiveBusOptions, SharedLiveBus } from '../../src/adapters/live/shared-live-bus.js';
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

/** Each bus of a test stands for a process of its own. */
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

  /** Collects the signals of a session from now on. */
  function collect(at: SharedLiveBus, sessionId: string): Gathered<LiveSignal> {
    const received = new Gathered<LiveSignal>();
    at.subscribe(sessionId, received.add);
    return received;
  }

  it('calls its own listeners before publish returns, and those of every other process once', async () => {
    const [here, there] = [await opened(), await opened()];
    const [own, other] = [collect(here, 's'), collect(there, 's')];
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
    const [a, b] = [collect(there, 'a'), collect(there, 'b')];
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
    const received = collect(there, 's');
    here.publish(delta('s', 'first'));
    for (const seq of [3, 9, 5]) here.publish(advanced('s', seq));
    here.publish(delta('s', 'second'));
    await received.count(3);
    expect(received.items).toEqual([delta('s', 'first'), advanced('s', 9), delta('s', 'second')]);
  });

  it('serves two hundred sessions at once', async () => {
    const [here, there] = [await opened(), await opened()];
    const sessions = Array.from({ length: 200 }, (_, index) => ({ id: `session-${index}`, received: collect(there, `session-${index}`) }));
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
    const received = collect(there, 's');
    const text = 'aé€😀"\\\n\u0000\ud800'.repeat(7_000);
    here.publish(delta('s', text));
    here.publish(delta('s', 'after it'));
    await received.count(2);
    expect(texts(received.items)).toEqual([text, 'after it']);
  });

  it('has one leader, a worker, and another one after it has left', async () => {
    const buses = [await opened({ isWorker: false }), await opened(), await opened()];
    const leaders = (): readonly number[] => buses.flatMap((bus, index) => (bus.leads ? [index] : []));
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
    const received = collect(await opened(), 's');
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
    const [own, other] = [collect(here, 's'), collect(there, 's')];
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
    const received = collect(there, 's');
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
    const received = collect(there, 's');
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
    left.push(here.onNudge(() => undefined));
    expect(here.subscribers).toBe(1_001);
    for (const leave of [...left, ...left]) leave();
    expect(here.subscribers).toBe(0);

    here.subscribe('s', () => {
      throw new Error('broken listener');
    });
    const received = collect(here, 's');
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
