import type { WholeRow } from '../../ports/index.js';
import type { SessionState } from '../../session/state/state.js';
import { conversationOf } from '../../session/transcript/projection.js';

/** Whether a row of the session list is what the fold of the log says; both of the same version. */
export function isRowOf(row: WholeRow, state: SessionState): boolean {
  const { settings, usage } = state;
  const facts =
    row.userId === state.ownerId &&
    row.title === settings.title &&
    row.model === settings.model &&
    row.status === state.status &&
    row.queueLength === state.queue.length &&
    row.turnId === (state.turn?.turnId ?? null) &&
    row.archived === (state.erased || (settings.archived ?? false)) &&
    row.createdAt === state.createdAt &&
    row.updatedAt === state.updatedAt &&
    hasRightsOf(row, state);
  const isSameUsage = (Object.keys(usage) as (keyof typeof usage)[]).every((name) => row.usage[name] === usage[name]);
  // What a fork shows of its parent is not counted in its row.
  if (!facts || !isSameUsage || state.forkedFrom || state.erased) return facts && isSameUsage;
  const { messages, firstText, lastText } = conversationOf(state, state.head);
  return row.messageCount === messages && isText(row.firstText, firstText) && isText(row.lastText, lastText);
}

/** Who may do what with it, and how long it is kept. */
function hasRightsOf(row: WholeRow, { settings, grants, hold, erasures }: SessionState): boolean {
  const erasure = [...erasures.values()].findLast(({ scope }) => scope === 'session');
  const isErased = erasure !== undefined && erasure.endedAt !== null;
  return (
    stored(row.grants) === stored(Object.fromEntries(grants)) &&
    row.isHeld === (hold !== null) &&
    row.isErased === isErased &&
    row.isErasureOver === (erasure ? isErased : null) &&
    row.retentionDays === (isErased ? null : (settings.retentionDays ?? null)) &&
    stored(row.metadata) === stored(settings.metadata)
  );
}

/** A value as JSON in the form in which a column can hold it, with its members in one order. */
const stored = (value: object): string =>
  JSON.stringify(value, (_, member: unknown) => {
    if (typeof member === 'string') return storable(member);
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    const members = Object.entries(member).map(([key, inner]) => [storable(key), inner] as const);
    return Object.fromEntries(members.toSorted(([one], [other]) => (one < other ? -1 : 1)));
  });

/** The row cannot hold some characters, and has others in their place. */
function isText(stored: string | null, text: string | null): boolean {
  return stored === (text === null ? null : storable(text));
}

// oxlint-disable-next-line no-control-regex
const storable = (text: string): string => text.toWellFormed().replace(/[\u0000-\u0003]/g, ' ');
