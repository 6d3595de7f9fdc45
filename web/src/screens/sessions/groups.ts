import type { SessionListItem } from '@verbatim/client';
import { NEEDS_YOU } from '../../app/waiting.ts';

/** What the list is made of. */
export interface Lists {
  /** Those that are loaded, newest change first. */
  readonly rows: readonly SessionListItem[];
  /** All that wait for a decision, also those of pages that are not loaded. */
  readonly waiting: readonly SessionListItem[];
  /** All that the user has pinned. */
  readonly pinned: readonly SessionListItem[];
}

/** A line of the list: the head of a group, or a conversation. */
export type Line = { readonly key: string; readonly head: string } | { readonly key: string; readonly row: SessionListItem };

/** What waits for a person first, then what the user has pinned, and the rest by the day of the last change, newest first, as the rows come. */
export function linesOf({ rows, waiting, pinned }: Lists, now = new Date()): readonly Line[] {
  const above = new Set([...waiting, ...pinned].map(({ id }) => id));
  const needed = new Set(waiting.map(({ id }) => id));
  const kept = pinned.filter(({ id }) => !needed.has(id));
  const rest = rows.filter(({ id }) => !above.has(id));
  const lines: Line[] = [...groupOf(NEEDS_YOU, waiting), ...groupOf('Pinned', kept)];
  let current = '';
  for (const row of rest) {
    const head = dayOf(row.updatedAt, now);
    if (head !== current) lines.push(headed(head));
    current = head;
    lines.push(lined(row));
  }
  return lines;
}

const groupOf = (head: string, rows: readonly SessionListItem[]): readonly Line[] => (rows.length === 0 ? [] : [headed(head), ...rows.map(lined)]);
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
