import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ERASABLE, SECRET, someEvent } from '../../../test/support/any-event-data.js';
import { runs } from '../../../test/support/property-runs.js';
import { ErasedEvents } from './erased-events.js';
import type { EventType } from './events.js';
import { isSkeleton, skeletonData } from './skeleton.js';
import { EVENT_TYPES } from './events.js';

const text = (data: unknown): string => JSON.stringify(data);
const events = someEvent();

/** A log in which the erasure at `seq` 2 names the event before it with `named`, and `stored` is what stands in its place. */
function faultOf(type: EventType, stored: string, named: string, covered?: number): string | null {
  const log = new ErasedEvents();
  log.add({ seq: 1n, type, data: stored, salt: null });
  log.add({ seq: 2n, type: 'content.erased', data: `{"events":[{"seq":1,"data":${named}}]}`, salt: '00' });
  const fault = log.firstFault(covered);
  return fault && `${fault.seq} ${fault.text}`;
}

describe('a skeleton', () => {
  it('of any data of any event is its own skeleton, and holds no content', () => {
    fc.assert(
      fc.property(events, ([type, data]) => {
        const skeleton = text(skeletonData(type, data));
        expect(isSkeleton(type, skeleton)).toBe(true);
        expect(skeleton).not.toContain(text(SECRET).slice(1, -1));
        expect(faultOf(type, skeleton, skeleton)).toBe(null);
      }),
      runs(2_000),
    );
  });

  it('is all that may stand instead of an erased event, whatever its erasure names', () => {
    fc.assert(
      fc.property(events, ([type, data]) => {
        const [stored, skeleton] = [text(data), text(skeletonData(type, data))];
        fc.pre(stored !== skeleton);
        expect(isSkeleton(type, stored)).toBe(false);
        expect(faultOf(type, stored, stored)).toBe('1 holds something that no erasure leaves');
        expect(faultOf(type, stored, skeleton)).toBe('1 holds something that no erasure leaves');
        expect(faultOf(type, skeleton, stored)).toBe('1 has no content, and no event says that it was erased');
      }),
      runs(2_000),
    );
  });

  it('has one notation', () => {
    fc.assert(
      fc.property(events, fc.nat(), ([type, data], at) => {
        const skeleton = text(skeletonData(type, data));
        expect(isSkeleton(type, `${skeleton.slice(0, -1)} }`)).toBe(false);
        expect(isSkeleton(type, `${skeleton.slice(0, -1)},"a":1}`)).toBe(false);
        expect(isSkeleton(type, skeleton.slice(0, at % skeleton.length))).toBe(false);
      }),
      runs(500),
    );
  });

  it('exists for no event without content', () => {
    for (const type of EVENT_TYPES) {
      if (ERASABLE.includes(type)) continue;
      for (const data of ['{}', 'null', '{"turnId":"t"}']) expect(faultOf(type, data, data)).toBe('1 holds something that no erasure leaves');
    }
    expect(isSkeleton('another.type', '{}')).toBe(false);
    expect(isSkeleton('toString', '{}')).toBe(false);
  });

  it('counts only with an erasure that is covered as well', () => {
    const skeleton = text(skeletonData('session.closed', {}));
    expect(faultOf('session.closed', skeleton, skeleton, 2)).toBe(null);
    expect(faultOf('session.closed', skeleton, skeleton, 0)).toBe(null); // what is not covered is not claimed
    expect(faultOf('session.closed', skeleton, skeleton, 1)).toBe('1 has no content, and event 2, which says that it was erased, is not covered by the proof');
  });

  it('is missed where an event has content that was erased', () => {
    const log = new ErasedEvents();
    log.add({ seq: 1n, type: 'session.closed', data: '{"reason":"put back"}', salt: '00' });
    log.add({ seq: 2n, type: 'content.erased', data: '{"events":[{"seq":1,"data":{"reason":null}}]}', salt: '00' });
    expect(log.firstFault()).toEqual({ seq: 1, text: 'has content, but event 2 says that it was erased' });
  });
});
