import { afterEach, describe, expect, it } from '@jest/globals';
import { FrameReader, toFrames } from '../../src/platform/live/frames.js';
import { type Message, parseBatch, parseDeltas } from '../../src/platform/live/message.js';
import { SharedLiveBus } from '../../src/platform/live/shared-live-bus.js';
import { ALL, areDeltas } from '../../src/platform/live/topics.js';
import type { Frame, TransportListener, Transport } from '../../src/platform/live/transport.js';
import { EVERY_SESSION, type LiveSignal } from '../../src/ports/index.js';
import { Gathered } from '../support/gathered-attachments.js';
import { until } from '../support/until.js';

type Note = Message | readonly ['delta', string, string, unknown];

/** A wire in memory that fails on demand and can stop receiving. */
class ScriptedWire implements Transport {
  readonly frameBytes = 8_000;
  readonly sent = new Gathered<Note>();
  readonly reconnected = new Gathered<true>();
  failures = 0;
  receivesNothing = false;
  readonly #reader = new FrameReader();
  #said = 0;
  #ears: TransportListener | null = null;

  listen(ears: TransportListener): void {
    this.#ears = ears;
    queueMicrotask(() => ears.onListening());
  }

  reconnectListener(): void {
    this.reconnected.add(true);
  }

  readonly topics: string[] = [];

  async add(topic: string): Promise<boolean> {
    this.topics.push(topic);
    return true;
  }

  remove(topic: string): void {
    this.topics.splice(this.topics.indexOf(topic), 1);
  }

  async send(frames: readonly Frame[]): Promise<void> {
    if (this.failures > 0) {
      this.failures -= 1;
      throw new Error('no way through');
    }
    for (const { topic, text } of frames) {
      const batch = this.#reader.read(topic, text);
      if (batch) for (const note of notesOf(topic, batch.body)) this.sent.add(note);
      if (!this.receivesNothing && (topic === ALL || this.topics.includes(topic))) this.#ears?.onFrame(topic, text);
    }
  }

  /** As if another process had said it. */
  say(note: Message, from = 'another'): void {
    this.#said += 1;
    for (const frame of toFrames(from, this.#said, JSON.stringify([note]), this.frameBytes)) this.#ears?.onFrame(ALL, frame);
  }

  async ping(): Promise<void> {}

  async close(): Promise<void> {}
}

const notesOf = (topic: string, body: string): readonly Note[] =>
  areDeltas(topic) ? [...parseDeltas(body, () => true)].map(({ sessionId, type, data }) => ['delta', sessionId, type, data] as const) : parseBatch(body);

describe('a live bus with other processes', () => {
  let bus: SharedLiveBus;
  const problems = new Gathered<string>();
  afterEach(() => bus.close());

  async function opened(wire: ScriptedWire, heartbeatMs = 60_000): Promise<SharedLiveBus> {
    problems.items.length = 0;
    bus = new SharedLiveBus(wire, { report: (problem) => problems.add(problem), heartbeatMs });
    await wire.sent.until((notes) => notes.some(([kind]) => kind === 'hello'));
    return bus;
  }

  const advanced = (seq: number): LiveSignal => ({ kind: 'advanced', sessionId: 's', seq });
  const delta = (data: string): LiveSignal => ({ kind: 'delta', sessionId: 's', type: 'tool.progress', data });

  it('resends hints after a failure, and no delta twice', async () => {
    const wire = new ScriptedWire();
    await opened(wire);
    wire.failures = 3;
    bus.publish(advanced(4));
    bus.publish(delta('lost'));
    await problems.count(1);
    bus.publish(delta('kept or lost'));
    const notes = await wire.sent.until((sent) => sent.some(([kind]) => kind === 'advanced'));
    expect(notes).toContainEqual(['advanced', 's', 4]);
    expect(notes).not.toContainEqual(['delta', 's', 'tool.progress', 'lost']);
    expect(problems.items.filter((problem) => /cannot be sent/.test(problem))).toHaveLength(1);
  });

  it('answers a hello', async () => {
    const wire = new ScriptedWire();
    await opened(wire);
    wire.say(['hello', true, 64]);
    await wire.sent.until((sent) => sent.some(([kind]) => kind === 'here'));
  });

  it('says in its answer to a hello whether it was alone, and not in later ones to say that it listens', async () => {
    const wire = new ScriptedWire();
    await opened(wire);
    wire.say(['hello', true, 64], 'first');
    expect(await wire.sent.until((sent) => sent.some(([kind]) => kind === 'here'))).toContainEqual(['here', true, 64, expect.any(Number)]);
    await bus.close();
    const lonely = new ScriptedWire();
    await opened(lonely, 50);
    await until('it is alone', async () => bus.alone);
    lonely.say(['hello', true, 64], 'second');
    await lonely.sent.until((sent) => sent.some((note) => note[0] === 'here' && note[4] === true));
    lonely.sent.items.length = 0;
    expect((await lonely.sent.until((sent) => sent.some(([kind]) => kind === 'here'))).filter((note) => note[0] === 'here' && note[4])).toEqual([]);
  });

  it('tells its listeners that signals may have been missed when another process answers that was alone until it had the hello, and only then', async () => {
    const wire = new ScriptedWire();
    await opened(wire);
    const heard = new Gathered<LiveSignal>();
    for (const channel of ['s', EVERY_SESSION]) bus.subscribe(channel, (signal) => heard.add(signal), 'hints');
    await heard.count(1); // the bucket of the new subscription is received
    heard.items.length = 0;
    wire.say(['here', true, 64, 1], 'third');
    wire.say(['here', true, 64, 1, true]);
    await heard.count(2);
    expect(new Set(heard.items.map(({ sessionId }) => sessionId))).toEqual(new Set(['s', EVERY_SESSION]));
    for (const from of ['another', 'third']) wire.say(['here', true, 64, 6], from);
    wire.say(['hello', true, 64], 'newcomer');
    wire.say(['advanced', 's', 7], 'newcomer');
    expect((await heard.count(4)).slice(2)).toEqual([advanced(7), advanced(7)]);
  });

  it('does not answer its own hello', async () => {
    const wire = new ScriptedWire();
    await opened(wire);
    bus.publish(delta('after its own hello'));
    expect((await wire.sent.until((sent) => sent.some(([kind]) => kind === 'delta'))).map(([kind]) => kind)).toEqual(['hello', 'delta']);
  });

  it('reconnects when it no longer receives its own messages', async () => {
    const wire = new ScriptedWire();
    wire.receivesNothing = true;
    await opened(wire, 5);
    await wire.reconnected.count(1);
  });

  it('sends the buffered messages and a bye on close', async () => {
    const wire = new ScriptedWire();
    await opened(wire);
    bus.publish(delta('one'));
    bus.publish(advanced(9));
    await bus.close();
    expect(wire.sent.items.slice(-4)).toEqual([['delta', 's', 'tool.progress', 'one'], ['advanced', 's', 9], ['grown'], ['bye']]);
  });
});
