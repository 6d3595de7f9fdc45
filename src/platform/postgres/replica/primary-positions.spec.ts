import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { PrimaryPosition } from '../connection/tenant-query.js';
import { lsnOf, PrimaryPositions } from './primary-positions.js';

/** A primary that commits, and answers questions with what it had when they came; the test decides when an answer arrives. */
class Primary {
  committed = 0;
  questions = 0;
  readonly #open: (() => void)[] = [];

  ask = (): Promise<PrimaryPosition> => {
    const lsn = `0/${this.committed.toString(16)}`;
    this.questions += 1;
    return new Promise((resolve, reject) => {
      this.#open.push(() => (this.committed % 5 === 4 ? reject(new Error('away')) : resolve({ identity: 'one', timeline: 1, lsn })));
    });
  };

  answer(): void {
    this.#open.shift()?.();
  }
}

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('no caller gets a position from before it asked, and those that wait share a question', async () => {
  const steps = fc.array(fc.constantFrom('commit', 'ask', 'answer'), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(steps, async (taken) => {
      const primary = new Primary();
      const positions = new PrimaryPositions(primary.ask);
      const calls: Promise<void>[] = [];
      for (const step of [...taken, ...taken.map(() => 'answer')]) {
        if (step === 'commit') primary.committed += 1;
        if (step === 'answer') primary.answer();
        if (step === 'ask') {
          const before = BigInt(primary.committed);
          calls.push(
            positions.now().then(
              ({ lsn }) => expect(lsnOf(lsn)).toBeGreaterThanOrEqual(before),
              (error: Error) => expect(error.message).toBe('away'),
            ),
          );
        }
        await tick();
      }
      await Promise.all(calls);
      expect(primary.questions).toBeLessThanOrEqual(calls.length);
    }),
  );
});

it('of many callers at a time the first has a question, and the others share one', async () => {
  const primary = new Primary();
  const positions = new PrimaryPositions(primary.ask);
  const calls = Array.from({ length: 50 }, () => positions.now());
  primary.answer();
  await tick();
  primary.answer();
  await Promise.all(calls);
  expect(primary.questions).toBe(2);
});

it('compares places as Postgres does', () => {
  const place = fc.tuple(fc.nat(0xffffffff), fc.nat(0xffffffff));
  const text = ([high, low]: readonly [number, number]): string => `${high.toString(16).toUpperCase()}/${low.toString(16).toUpperCase()}`;
  fc.assert(
    fc.property(place, place, (one, other) => {
      const isLater = one[0] > other[0] || (one[0] === other[0] && one[1] > other[1]);
      expect(lsnOf(text(one)) > lsnOf(text(other))).toBe(isLater);
    }),
  );
});
