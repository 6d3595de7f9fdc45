import type { Schedule } from '@verbatim/client';

type Times = Pick<Schedule, 'cron' | 'timeZone' | 'everySeconds'>;

/** By their number in a cron expression. */
export const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** When a schedule runs: `weekdays at 08:30, Berlin`; a cron expression of another kind as it is. */
export function timesInWords({ cron, timeZone, everySeconds }: Times): string {
  if (cron !== null) return `${cronInWords(cron)}, ${placeOf(timeZone ?? 'UTC')}`;
  const seconds = everySeconds ?? 0;
  if (seconds % 3_600 === 0) return seconds === 3_600 ? 'every hour' : `every ${seconds / 3_600} hours`;
  if (seconds % 60 === 0) return seconds === 60 ? 'every minute' : `every ${seconds / 60} minutes`;
  return `every ${seconds} s`;
}

/** A time by the clock of the schedule, with the day where it is not near. */
export function timeIn({ timeZone }: Pick<Schedule, 'timeZone'>, time: string, now = Date.now()): string {
  const at = new Date(time);
  const isNear = Math.abs(at.getTime() - now) < 6 * 86_400_000;
  const zone = timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const day = new Intl.DateTimeFormat('en', { timeZone: zone, ...(isNear ? { weekday: 'short' } : { day: 'numeric', month: 'short' }) }).format(at);
  return `${day} ${new Intl.DateTimeFormat('en', { timeZone: zone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(at)}`;
}

const placeOf = (timeZone: string): string => (timeZone.split('/').at(-1) ?? timeZone).replaceAll('_', ' ');

function cronInWords(cron: string): string {
  const [minute = '', hour = '', date = '', month = '', days = '', ...more] = cron.trim().split(/\s+/);
  if (more.length > 0 || month !== '*' || !/^\d{1,2}$/.test(minute)) return cron;
  const at = clock(hour, minute);
  if (hour === '*' && date === '*' && days === '*') return `every hour at minute ${Number(minute)}`;
  if (at === null) return cron;
  if (date === '*') return `${daysInWords(days) ?? `on days ${days}`} at ${at}`;
  return days === '*' && /^\d{1,2}$/.test(date) ? `on day ${Number(date)} of each month at ${at}` : cron;
}

/** Of one hour or several; null: of another kind. */
function clock(hours: string, minute: string): string | null {
  if (!/^\d{1,2}(?:,\d{1,2})*$/.test(hours)) return null;
  return hours
    .split(',')
    .map((hour) => `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`)
    .join(' and ');
}

function daysInWords(days: string): string | null {
  if (days === '*') return 'every day';
  if (days === '1-5') return 'weekdays';
  if (!/^[0-7](?:,[0-7])*$/.test(days)) return null;
  return days
    .split(',')
    .map((day) => `${DAYS[Number(day) % 7]}s`)
    .join(' and ');
}

/** What the form of a schedule chooses from. */
export type Kind = 'daily' | 'weekdays' | 'weekly' | 'interval' | 'cron';

/** How the form has chosen the times of a schedule: what it cannot say otherwise is a cron expression. */
export function kindOf({ cron, everySeconds }: Pick<Times, 'cron' | 'everySeconds'>): {
  readonly kind: Kind;
  readonly time: string;
  readonly day: string;
  readonly minutes: string;
} {
  const none = { time: '09:00', day: '1', minutes: '60' };
  if (cron === null) return { ...none, kind: 'interval', minutes: String((everySeconds ?? 3_600) / 60) };
  const [, minute, hour, days] = /^(\d{1,2}) (\d{1,2}) \* \* (\*|1-5|[0-6])$/.exec(cron.trim()) ?? [];
  if (minute === undefined || hour === undefined) return { ...none, kind: 'cron' };
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  if (days === '*') return { ...none, kind: 'daily', time };
  return days === '1-5' ? { ...none, kind: 'weekdays', time } : { ...none, kind: 'weekly', time, day: days ?? '1' };
}
