import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DomainError } from '../../../packages/protocol/errors.js';
import { runs } from '../../../test/support/property-runs.js';
import { nextRun, requireTiming } from './next-run.js';

type Cron = { readonly kind: 'cron'; readonly expression: string; readonly timeZone: string };

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Africa/Casablanca',
  'America/Havana',
];

const field = (least: number, most: number): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constant('*'),
    fc.integer({ min: least, max: most }).map(String),
    fc
      .tuple(fc.integer({ min: least, max: most }), fc.integer({ min: least, max: most }))
      .map(([one, other]) => `${Math.min(one, other)}-${Math.max(one, other)}`),
    fc.integer({ min: 2, max: 20 }).map((step) => `*/${step}`),
  );
/** Days up to 28: every month has them. */
const expression = fc
  .tuple(
    field(0, 59),
    field(0, 23),
    fc.oneof(fc.constant('*'), field(1, 28)),
    fc.oneof(fc.constant('*'), field(1, 12)),
    fc.oneof(fc.constant('*'), field(0, 6)),
  )
  .map((fields) => fields.join(' '));
const cron: fc.Arbitrary<Cron> = fc.record({ kind: fc.constant('cron' as const), expression, timeZone: fc.constantFrom(...ZONES) });
const moment = fc.date({ min: new Date('2010-01-01T00:00:00Z'), max: new Date('2035-01-01T00:00:00Z'), noInvalidDate: true }).map((date) => date.getTime());

/** What the clocks of a zone show, to the minute, so that later is greater. */
function shown(time: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  return format.format(time);
}

function* series(timing: Parameters<typeof nextRun>[0], from: number): Generator<number> {
  for (let at = from; ;) {
    at = nextRun(timing, at, at);
    yield at;
  }
}

const first = (timing: Parameters<typeof nextRun>[0], from: number, count: number): readonly number[] => {
  const found: number[] = [];
  for (const time of series(timing, from)) if (found.push(time) === count) break;
  return found;
};

const at = (text: string): number => Date.parse(text);
const times = (text: string, timeZone: string, from: string, count: number): readonly string[] =>
  first({ kind: 'cron', expression: text, timeZone }, at(from), count).map((time) => new Date(time).toISOString().slice(0, 16));

describe('the runs of a schedule', () => {
  it('are later and later, at whole minutes, and never twice at one time that the clocks show', () => {
    fc.assert(
      fc.property(cron, moment, (timing, from) => {
        const found = first(timing, from, 8);
        expect(found.every((time, index) => time > (found[index - 1] ?? from) && time % 60_000 === 0)).toBe(true);
        const clocks = found.map((time) => shown(time, timing.timeZone));
        expect(new Set(clocks).size).toBe(clocks.length);
      }),
      runs(300),
    );
  });

  it('do not depend on when they are asked for: none lies between a time and its next one', () => {
    fc.assert(
      fc.property(cron, moment, fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), (timing, from, part) => {
        const next = nextRun(timing, from, from);
        expect(nextRun(timing, from, from + Math.floor((next - from) * part))).toBe(next);
      }),
      runs(300),
    );
  });

  it('are those of the expression, minute by minute, where the clocks never change', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 59 }), fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 6 }), moment, (minute, hour, day, from) => {
        const next = nextRun({ kind: 'cron', expression: `${minute} ${hour} * * ${day}`, timeZone: 'UTC' }, from, from);
        let expected = Math.floor(from / 60_000) * 60_000 + 60_000;
        const fits = (time: number): boolean => {
          const date = new Date(time);
          return date.getUTCMinutes() === minute && date.getUTCHours() === hour && date.getUTCDay() === day;
        };
        while (!fits(expected)) expected += 60_000;
        expect(next).toBe(expected);
      }),
      runs(50),
    );
  });

  it('are a multiple of the interval after the one before, without those that were missed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), moment, fc.integer({ min: 0, max: 10 ** 10 }), (seconds, from, later) => {
        const next = nextRun({ kind: 'interval', seconds }, from, from + later);
        expect(next).toBeGreaterThan(from + later);
        expect(next - seconds * 1_000).toBeLessThanOrEqual(from + later);
        expect((next - from) % (seconds * 1_000)).toBe(0);
      }),
      runs(300),
    );
  });

  it('come after a change of the clocks by half an hour, too', () => {
    expect(times('0 1 * 4 *', 'Australia/Lord_Howe', '2010-04-02T14:00:00Z', 3)).toEqual(['2010-04-03T14:00', '2010-04-04T14:30', '2010-04-05T14:30']);
    expect(() => requireTiming({ kind: 'cron', expression: '0 0 31 2 *', timeZone: 'Australia/Lord_Howe' }, 1, at('2010-04-03T00:00:00Z'))).toThrow(
      DomainError,
    );
  });

  it('skip the second of two equal hours, and take the next hour for one that is left out', () => {
    expect(times('30 1 * * *', 'America/New_York', '2025-11-02T00:00:00Z', 2)).toEqual(['2025-11-02T05:30', '2025-11-03T06:30']);
    expect(times('0,30 * * * *', 'America/New_York', '2025-11-02T04:45:00Z', 4)).toEqual([
      '2025-11-02T05:00',
      '2025-11-02T05:30',
      '2025-11-02T07:00',
      '2025-11-02T07:30',
    ]);
    // Also when it is asked for within the second of them.
    expect(times('30 1 * * *', 'America/New_York', '2025-11-02T06:10:00Z', 1)).toEqual(['2025-11-03T06:30']);
    expect(times('30 2 * * *', 'America/New_York', '2025-03-09T00:00:00Z', 2)).toEqual(['2025-03-09T07:30', '2025-03-10T06:30']);
    expect(times('30 2,3 * * *', 'America/New_York', '2025-03-09T00:00:00Z', 2)).toEqual(['2025-03-09T07:30', '2025-03-10T06:30']);
  });

  it('are on days of either kind where both are restricted, and understand names', () => {
    expect(times('0 0 13 * FRI', 'UTC', '2026-02-01T00:00:00Z', 4)).toEqual(['2026-02-06T00:00', '2026-02-13T00:00', '2026-02-20T00:00', '2026-02-27T00:00']);
    expect(times('0 0 29 2 *', 'UTC', '2026-01-01T00:00:00Z', 2)).toEqual(['2028-02-29T00:00', '2032-02-29T00:00']);
  });
});

describe('times that are rejected', () => {
  const rejected = (text: string): string | undefined => {
    try {
      requireTiming({ kind: 'cron', expression: text, timeZone: 'UTC' }, 60, at('2026-01-01T00:00:00Z'));
      return undefined;
    } catch (error) {
      return (error as DomainError).faults[0]?.text;
    }
  };

  it.each([
    '* * * *',
    '* * * * * *',
    '@daily',
    'H * * * *',
    '0 0 L * *',
    '0 0 * * 5#2',
    '0 0 ? * *',
    '60 * * * *',
    '0 24 * * *',
    '0 0 0 * *',
    '0 0 31 2 *',
    '0 0 30 2 *',
    '5-1 * * * *',
    'x * * * *',
  ])('the expression %s', (text) => {
    expect(rejected(text)).toEqual(expect.any(String));
  });

  it('more often than allowed', () => {
    expect(rejected('* * * * *')).toBeUndefined();
    const often = (text: string, least: number) => () => requireTiming({ kind: 'cron', expression: text, timeZone: 'UTC' }, least, at('2026-01-01T00:00:00Z'));
    expect(often('* * * * *', 61)).toThrow(DomainError);
    expect(often('0,5 9 * * *', 600)).toThrow(DomainError);
    expect(often('0,10 9 * * *', 600)).not.toThrow();
    expect(() => requireTiming({ kind: 'interval', seconds: 59 }, 60, 0)).toThrow(DomainError);
    expect(() => requireTiming({ kind: 'interval', seconds: 60 }, 60, 0)).not.toThrow();
  });
});
