import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { FrameReader, toFrames } from '../../src/platform/live/frames.js';
import { deltaLine, parseBatch, parseDeltas } from '../../src/platform/live/message.js';
import { SendBuffer, toBatches } from '../../src/platform/live/send-buffer.js';
import { areDeltas } from '../../src/platform/live/topics.js';
import type { LiveSignal } from '../../src/ports/index.js';

const sessionId = fc.constantFrom('a', 'b', 'c');
const signal: fc.Arbitrary<LiveSignal> = fc.oneof(
  fc.record({ kind: fc.constant('advanced'), sessionId, seq: fc.nat(100) }),
  fc.record({ kind: fc.constant('delta'), sessionId, type: fc.constant('message.delta'), data: fc.string({ unit: 'binary', maxLength: 40 }) }),
) as fc.Arbitrary<LiveSignal>;

type Note = readonly [kind: string, ...members: unknown[]];

/** What arrives where all buckets are received. */
const notesOf = (buffer: SendBuffer, bytes: number, buckets: readonly number[] = [2]): Note[] =>
  toBatches(buffer.take(bytes), buckets).flatMap(({ topic, body }): readonly Note[] =>
    areDeltas(topic) ? [...parseDeltas(body, () => true)].map(({ sessionId: id, type, data }) => ['delta', id, type, data]) : parseBatch(body),
  );

describe('the send buffer', () => {
  it('keeps every delta in order and only the highest hint of each session, however it is drained', () => {
    fc.assert(
      fc.property(fc.array(signal, { maxLength: 60 }), fc.integer({ min: 1, max: 300 }), (signals, bytes) => {
        const buffer = new SendBuffer(1_000_000);
        for (const item of signals) buffer.add(item);
        const notes: Note[] = [];
        while (!buffer.empty) notes.push(...notesOf(buffer, bytes));

        for (const id of ['a', 'b', 'c']) {
          const deltas = signals.flatMap((item) => (item.kind === 'delta' && item.sessionId === id ? [['delta', id, item.type, item.data]] : []));
          const arrived = notes.filter(([kind, of]) => kind === 'delta' && of === id);
          expect(arrived).toEqual(deltas.map((item) => JSON.parse(JSON.stringify(item))));
        }
        const highest = new Map<string, number>();
        for (const item of signals) if (item.kind === 'advanced') highest.set(item.sessionId, Math.max(item.seq, highest.get(item.sessionId) ?? 0));
        expect(new Map(notes.flatMap((note) => (note[0] === 'advanced' ? [[note[1] as string, note[2] as number] as const] : [])))).toEqual(highest);
        expect(notes.filter(([kind]) => kind === 'advanced')).toHaveLength(highest.size);
      }),
    );
  });

  it('holds the newest deltas up to its size, and restores hints but not deltas after a failure', () => {
    fc.assert(
      fc.property(fc.array(signal, { maxLength: 60 }), fc.integer({ min: 0, max: 500 }), (signals, limit) => {
        const buffer = new SendBuffer(limit);
        for (const item of signals) buffer.add(item);
        const kept = buffer.take(Infinity);
        const sizes = kept.flatMap((entry) => (entry.kind === 'delta' ? [entry.bytes] : []));
        expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(limit);
        const deltas = signals.filter((item) => item.kind === 'delta');
        expect(buffer.takeDropped()).toBe(deltas.length - sizes.length);
        const newest = deltas.slice(deltas.length - sizes.length).map((item) => item.kind === 'delta' && deltaLine(item));
        expect(kept.flatMap((entry) => (entry.kind === 'delta' ? [entry.text] : []))).toEqual(newest);

        buffer.restore(kept);
        expect(buffer.takeDropped()).toBe(sizes.length);
        expect(buffer.take(Infinity)).toEqual(kept.filter((entry) => entry.kind !== 'delta'));
      }),
    );
  });
});

it('keeps the order of hints and deltas of a session, and sends them once for each number of buckets in use', () => {
  fc.assert(
    fc.property(fc.array(signal, { maxLength: 40 }), fc.constantFrom([1], [3], [3, 64]), (signals, buckets) => {
      const [one, all] = [new SendBuffer(1_000_000), new SendBuffer(1_000_000)];
      for (const item of signals) for (const buffer of [one, all]) buffer.add(item);
      const expected = one.take(Infinity).flatMap((entry) => (entry.kind === 'control' ? [] : [entry]));
      const batches = toBatches(all.take(Infinity), buckets);
      for (const count of buckets) {
        for (const id of ['a', 'b', 'c']) {
          const arrived = batches
            .filter(({ topic }) => topic.startsWith(`{${count}.`))
            .flatMap(({ topic, body }) =>
              areDeltas(topic)
                ? [...parseDeltas(body, (of) => of === id)].map(() => 'delta')
                : parseBatch(body).flatMap((note) => (note[1] === id ? ['advanced'] : [])),
            );
          expect(arrived).toEqual(expected.flatMap((entry) => (entry.sessionId === id ? [entry.kind] : [])));
        }
      }
    }),
  );
});

describe('frames', () => {
  it('transport any text within the maximum size, all distinct, and drop a batch with a missing frame', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), fc.integer({ min: 90, max: 200 }), fc.nat(), (body, limit, skip) => {
        const frames = [...toFrames('sender', 1, body, limit), ...toFrames('sender', 2, body, limit)];
        expect(new Set(frames).size).toBe(frames.length);
        for (const frame of frames) expect(Buffer.byteLength(frame)).toBeLessThanOrEqual(limit);
        const reader = new FrameReader();
        const whole = frames.map((frame) => reader.read('t', frame)).filter((batch) => batch !== null);
        expect(whole).toEqual([
          { sender: 'sender', body },
          { sender: 'sender', body },
        ]);

        const broken = new FrameReader();
        const half = frames.length / 2;
        const missing = skip % half;
        const rest = frames
          .filter((_, index) => index !== missing)
          .map((frame) => broken.read('t', frame))
          .filter((batch) => batch !== null);
        expect(rest).toEqual([{ sender: 'sender', body }]);
      }),
    );
  });
});
