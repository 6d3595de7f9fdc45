import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { SessionEvent } from '../../packages/protocol/events/events.js';
import { Batch, isStored, type BatchFrame } from '../../src/http/stream/batch.js';
import { liveFrame, storedFrame } from '../../src/http/stream/frame.js';

const event = (seq: number): SessionEvent => ({
  id: `e${seq}`,
  seq,
  type: 'session.closed',
  time: '2030-01-01T00:00:00.000Z',
  sessionId: 's',
  actor: { kind: 'user', id: 'u' },
  data: { reason: `é${seq}` },
});

/** Frames of one tick, beginning after `from`: true is a stored event, false a delta. */
function framesOf(from: number, kinds: readonly boolean[]): readonly BatchFrame[] {
  let seq = from;
  return kinds.map((isStored, index) =>
    isStored ? storedFrame(event((seq += 1))) : { type: 'message.delta', data: { index }, text: liveFrame('message.delta', { index }) },
  );
}

const tick = fc.record({ from: fc.nat(20), kinds: fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }), position: fc.nat(40) });

it('gives a reader each event that it does not have, and no delta from before an event that it has', () => {
  fc.assert(
    fc.property(tick, ({ from, kinds, position }) => {
      const frames = framesOf(from, kinds);
      const batch = new Batch(frames);
      const rest = batch.after(position);
      const seqs = (of: readonly BatchFrame[]) => of.flatMap((frame) => (isStored(frame) ? frame.event.seq : []));
      expect(seqs(rest)).toEqual(seqs(frames).filter((seq) => seq > position));
      const known = frames.findLastIndex((frame) => isStored(frame) && frame.event.seq <= position);
      expect(rest).toEqual(frames.slice(known + 1));
      if (batch.follows(position)) expect(rest).toEqual(frames);
    }),
  );
});
