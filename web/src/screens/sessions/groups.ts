import type { SessionListItem } from '@verbatim/client';

/** A line of the list: the head of a group, or a conversation. */
export type Line = { readonly key: string; readonly head: string } | { readonly key: string; readonly row: SessionListItem };

/** What waits for a person first, and the rest by the day of the last change, newest first, as the rows come. */
export function linesOf(rows: readonly SessionListItem[], now = new Date()): readonly Line[] {
  const waiting = rows.filter(({ status }) => status === 'waiting');
  const rest = rows.filter(({ status }) => status !== 'waiting');
  const lines: Line[] = waiting.length === 0 ? [] : [headed('Needs you'), ...waiting.map(lined)];
  let current = '';
  for (const row of rest) {
    const head = dayOf(row.updatedAt, now);
    if (head !== current) lines.push(headed(head));
    current = head;
    lines.push(lined(row));
  }
  return lines;
}

const headed = (head: string): Line => ({ key: `head ${head}`, head });
const lined = (row: SessionListItem): Line => ({ key: row.id, row });

const month = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric' });

/** Days begin at midnight of the clock here; those of daylight saving time are shorter or longer than others. */
function dayOf(time: string, now: Date): string {
  const at = new Date(time);
  const midnight = (back: number): Date => new Date(now.getFullYear(), now.getMonth(), now.getDate() - back);
  if (at >= midnight(0)) return 'Today';
  if (at >= midnight(1)) return 'Yesterday';
  if (at >= midnight(6)) return 'Last 7 days';
  return at >= midnight(29) ? 'Last 30 days' : month.format(at);
}
