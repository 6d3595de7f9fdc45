/** Numbers, times and states in words. */

const number = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const dateTime = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });
const day = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' });
const clock = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const seconds = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });

export const count = (value: number): string => number.format(value);
export const short = (value: number): string => compact.format(value);
export const fullTime = (time: string): string => dateTime.format(new Date(time));

export const clockTime = (time: string): string => clock.format(new Date(time));
/** With seconds, where the day stands above. */
export const secondsTime = (time: string): string => seconds.format(new Date(time));
export const dayOf = (time: string): string => day.format(new Date(time));

/** With the year, where it is not this one. */
export const dateOf = (time: string, now = new Date()): string =>
  `${day.format(new Date(time))}${new Date(time).getFullYear() === now.getFullYear() ? '' : `, ${new Date(time).getFullYear()}`}`;

/** The hour of today, the day of this year, otherwise the date. */
export function briefTime(time: string, now = new Date()): string {
  const at = new Date(time);
  if (at.toDateString() === now.toDateString()) return clock.format(at);
  return at.getFullYear() === now.getFullYear() ? day.format(at) : at.toISOString().slice(0, 10);
}

/** To the second: today's with the hour alone, those of this year with their day, otherwise with the date. */
export function preciseTime(time: string, now = new Date()): string {
  const at = new Date(time);
  if (at.toDateString() === now.toDateString()) return seconds.format(at);
  return `${at.getFullYear() === now.getFullYear() ? day.format(at) : at.toISOString().slice(0, 10)}, ${seconds.format(at)}`;
}

export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const parts = hours > 0 ? [`${hours} h`, minutes > 0 && `${minutes} min`] : [`${minutes} min`, seconds % 60 > 0 && `${seconds % 60} s`];
  return parts.filter(Boolean).join(' ');
}

export function bytes(value: number): string {
  if (value < 1_024) return `${value} B`;
  if (value < 1_048_576) return `${(value / 1_024).toFixed(1)} KiB`;
  return value < 1_073_741_824 ? `${(value / 1_048_576).toFixed(1)} MiB` : `${(value / 1_073_741_824).toFixed(1)} GiB`;
}

/** US dollars: small amounts with two digits that count. */
export function dollars(value: number): string {
  if (value > 0 && value < 0.000_001) return 'less than $0.000001';
  const digits = value === 0 || value >= 1 ? 2 : Math.max(2, 1 - Math.floor(Math.log10(value)));
  return `$${value.toFixed(digits)}`;
}

export const plural = (value: number, one: string, many = `${one}s`): string => `${count(value)} ${value === 1 ? one : many}`;

/** The server counts messages that have a text for readers: an answer that only calls tools has none. */
export const messagesWithText = (value: number): string => `${plural(value, 'message')} with text`;

export const shortId = (id: string): string => id.slice(0, 8);

/** `Claude Opus 4.5` of `claude-opus-4-5` or `claude-opus-4-5-20251101`; another id as it is. */
export function modelName(id: string): string {
  const [, family, major, minor] = /^claude-([a-z]+)-(\d{1,2})(?:-(\d{1,2}))?(?:-\d{8})?$/.exec(id) ?? [];
  return family === undefined ? id : `Claude ${family[0]!.toUpperCase()}${family.slice(1)} ${major}${minor === undefined ? '' : `.${minor}`}`;
}
