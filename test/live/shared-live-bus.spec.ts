import { afterEach, describe, expect, it } from '@jest/globals';
import { FrameReader, toFrames } from '../../src/adapters/live/frames.js';
import { parseNotes, type Note } from '../../src/adapters/live/message.js';
import { SharedLiveBus } from '../../src/adapters/live/shared-live-bus.js';
import type { Ears, Transport } from '../../src/adapters/live/transport.js';
import type { LiveSignal } from '../../src/core/ports.js';
import { Gathered } from '../support/gathered-attachments.js';

/** A wire in memory that fails on demand and can be deaf to itself. */
class ScriptedWire implements Transport {
  readonly frameBytes = 8_000;
  readonly sent = new Gathered<Note>();
  readonly relistened = new Gathered<true>();
  failures = 0;
  deaf = false;
  readonly #reader = new FrameReader();
  #ears: Ears | null = null;

  listen(ears: Ears): void {
    this.#ears = ears;
    queueMicrotask(() => ears.onListening());
  }

  relisten(): void {
    this.relistened.add(true);
  }

  async send(frames: readonly string[]): Promise<void> {
    if (this.failures > 0) {
      this.failures -= 1;
      throw new Error('no way through');
    }
    for (const frame of frames) {
      const batch = this.#reader.read(frame);
      if (batch) for (const note of parseNotes(batch.body)) this.sent.add(note);
      if (!this.deaf) this.#ears?.onFrame(frame);
    }
  }

  /** As if another process had said it. */
  say(note: Note): void {
    for (const frame of toFrames('another', 1, JSON.stringify([note]), this.frameBytes)) this.#ears?.onFrame(frame);
  }

  async ping(): Promise<void> {}

  async close(): Promise<void> {}
}

describe('a live bus among others', () => {
  let bus: SharedLiveBus;
  const problems = new Gathered<string>();
  afterEach(() => bus.close());

  async function opened(wire: ScriptedWire, beatMs = 60_000): Promise<SharedLiveBus> {
    problems.items.length = 0;
    bus = new SharedLiveBus(wire, { report: (problem) => problems.add(problem), beatMs });
    await wire.sent.until((notes) => notes.some(([kind]) => kind === 'hello'));
    return bus;
  }

  const advanced = (seq: number): LiveSignal => ({ kind: 'advanced', sessionId: 's', seq });
  const delta = (data: string): LiveSignal => ({ kind: 'delta', sessionId: 's', type: 'tool.progress', data });

  it('tells hints again after a failure, and deltas never twice', async () => {
    const wire = new ScriptedWire();
    await opened(wire);
    wire.failures = 3;
    bus.publish(advanced(4));
    bus.publish(delta('lost'));
    bus.nudge();
    await problems.count(1);
    bus.publish(delta('kept or lost'));
    const notes = await wire.sent.until((sent) => sent.some(([kind]) => kind === 'advanced') && sent.some(([kind]) => kind === 'nudge'));
    expect(notes).toContainEqual(['advanced', 's', 4]);
    expect(notes).not.toContainEqual(['delta', 's', 'tool.progress', 'lost']);
    expect(problems.items.filter((problem) => /do not reach/.test(problem))).toHaveLength(1);
  });

  it('answers who asks whether anybody is there', async () => {
    const wire = new ScriptedWire();
    await opened(wire);
    wire.say(['hello']);
    await wire.sent.until((sent) => sent.some(([kind]) => kind === 'here'));
  });

  it('does not answer itself', async () => {
    const wire = new ScriptedWire();
    await opened(wire);
    bus.publish(delta('after its own hello'));
    expect((await wire.sent.until((sent) => sent.some(([kind]) => kind === 'delta'))).map(([kind]) => kind)).toEqual(['hello', 'delta']);
  });

  it('makes its connection anew when it no longer hears itself', async () => {
    const wire = new ScriptedWire();
    wire.deaf = true;
    await opened(wire, 5);
    await wire.relistened.count(1);
  });

  it('says good-bye, and sends what is left before it', async () => {
    const wire = new ScriptedWire();
    await opened(wire);
    bus.publish(delta('one'));
    bus.publish(advanced(9));
    await bus.close();
    expect(wire.sent.items.slice(-3)).toEqual([['delta', 's', 'tool.progress', 'one'], ['advanced', 's', 9], ['bye']]);
  });
});
