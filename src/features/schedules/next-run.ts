import { type CronExpression, CronExpressionParser } from 'cron-parser';
import { DomainError } from '../../../packages/protocol/errors.js';
import type { ScheduleTiming } from '../../../packages/protocol/events/events.js';

const NAME = '(?:JAN|FEB|MAR|APR|MAY|JUN|JUL|AUG|SEP|OCT|NOV|DEC|SUN|MON|TUE|WED|THU|FRI|SAT)';
const VALUE = String.raw`(?:\d{1,2}|${NAME})`;
const PART = String.raw`(?:\*|${VALUE}(?:-${VALUE})?)(?:/\d{1,2})?`;
const FIELD = `${PART}(?:,${PART})*`;
/** Five fields, as in crontab(5): no seconds, no aliases such as `@daily`, no extensions. */
const EXPRESSION = new RegExp(`^${FIELD}(?: +${FIELD}){4}$`, 'i');

/** Occurrences of an expression that are compared with the least interval: so many, within so long. To look for rare ones takes long. */
const COMPARED = 50;
const COMPARED_MS = 8 * 86_400_000;

type Cron = Extract<ScheduleTiming, { kind: 'cron' }>;

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * HOUR_MS;
const YEAR_MS = 366 * DAY_MS;

/** Changes of the clocks after which an expression that the parser cannot follow is looked for. */
const CHANGES = 3;

/** Before a time, where the zone may have had another offset. */
const EARLIER_MS = [HOUR_MS, 3 * HOUR_MS, 25 * HOUR_MS];

/**
 * The first time after `after` at which a schedule is due; both milliseconds since the epoch. `from`: when it was due before, from which an interval is counted; null: now. Times of
 * a cron expression are those of its zone: one that the clocks show twice counts the first time, one that they leave out counts as the same minute of the next hour.
 */
export function nextRun(timing: ScheduleTiming, from: number | null, after: number): number {
  if (timing.kind === 'cron') return occurrences(timing, after).next().value;
  const step = timing.seconds * 1_000;
  const start = from ?? after;
  return start + step * (Math.max(0, Math.floor((after - start) / step)) + 1);
}

/** Throws `invalid_input` for an expression that is not one, is never due, or is due more often than allowed. `now`: milliseconds since the epoch. */
export function requireTiming(timing: ScheduleTiming, leastSeconds: number, now: number): void {
  if (timing.kind === 'interval') {
    if (timing.seconds < leastSeconds) throw fault('/everySeconds', `must be at least ${leastSeconds}`);
    return;
  }
  if (!EXPRESSION.test(timing.expression)) throw fault('/cron', 'must be five fields: minute, hour, day of the month, month, day of the week');
  const times = firstOccurrences(timing, now);
  const isTooOften = times.some((time, index) => index > 0 && time - times[index - 1]! < leastSeconds * 1_000);
  if (isTooOften) throw fault('/cron', `is due more often than every ${leastSeconds} seconds`);
}

function firstOccurrences(timing: Cron, now: number): readonly number[] {
  try {
    const found: number[] = [];
    for (const time of occurrences(timing, now)) if (found.push(time) === COMPARED || time - found[0]! > COMPARED_MS) break;
    return found;
  } catch {
    throw fault('/cron', 'is no cron expression that is ever due, such as 0 9 * * 1-5');
  }
}

/** Without end. Throws when there is none within the years that the parser looks at. */
function* occurrences({ expression, timeZone }: Cron, after: number): Generator<number, never> {
  const offsetAt = offsets(timeZone);
  const parsed = (from: number): CronExpression => CronExpressionParser.parse(expression, { currentDate: new Date(from), tz: timeZone });
  let times = parsed(after);
  for (let last = after; ;) {
    let time: number;
    try {
      time = times.next().getTime();
    } catch (error) {
      time = beyondChanges(last, parsed, offsetAt, error);
      times = parsed(time);
    }
    if (time <= last || isRepeated(time, offsetAt)) continue;
    last = time;
    yield time;
  }
}

/**
 * The parser does not get past a change of the clocks by half an hour, and fails: on the days around the next changes each minute is compared. Throws `error` when there is
 * nothing after some of them: the expression is never due.
 */
function beyondChanges(after: number, parsed: (from: number) => CronExpression, offsetAt: (time: number) => number, error: unknown): number {
  for (let from = after, changes = 0; changes < CHANGES; changes += 1) {
    let change = from;
    while (offsetAt(change) === offsetAt(change + DAY_MS)) if ((change += DAY_MS) > from + YEAR_MS) throw error;
    const end = change + 2 * DAY_MS;
    const expression = parsed(from);
    for (let minute = Math.floor(Math.max(from, change - DAY_MS) / MINUTE_MS + 1) * MINUTE_MS; minute <= end; minute += MINUTE_MS) {
      if (expression.includesDate(new Date(minute))) return minute;
    }
    try {
      return parsed(end).next().getTime();
    } catch {
      from = end;
    }
  }
  throw error;
}

/** Whether the clocks of the zone have shown this time before, as in the hour after the end of summer time. */
function isRepeated(time: number, offsetAt: (time: number) => number): boolean {
  const offset = offsetAt(time);
  return EARLIER_MS.some((earlier) => {
    const before = offsetAt(time - earlier);
    return before > offset && offsetAt(time + offset - before) === before;
  });
}

/** Milliseconds that the clocks of a zone are ahead of UTC. */
function offsets(timeZone: string): (time: number) => number {
  const names = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' } as const;
  const format = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', calendar: 'gregory', numberingSystem: 'latn', ...names });
  return (time) => {
    const seconds = Math.floor(time / 1_000) * 1_000;
    const parts = Object.fromEntries(format.formatToParts(seconds).map(({ type, value }) => [type, Number(value)]));
    return Date.UTC(parts['year']!, parts['month']! - 1, parts['day']!, parts['hour']!, parts['minute']!, parts['second']!) - seconds;
  };
}

function fault(pointer: string, text: string): DomainError {
  return new DomainError('invalid_input', 'The schedule has no valid times.', [{ pointer, text }]);
}
