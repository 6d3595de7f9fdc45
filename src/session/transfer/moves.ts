import type { PermissionMode } from '../../../packages/protocol/message/message.js';
import { isObject, type UnknownObject } from '../../../packages/protocol/message/unknown-json.js';
import type { EventData, NewEvent } from '../../../packages/protocol/events/events.js';
import { permissionModeIn, timeIn, uuidIn } from './shape.js';

/** A rewind or a restore that an import repeats. Contains no content: the reason of a rewind is read again from its line. */
export interface PlannedMove {
  readonly line: number;
  readonly bytes: number;
  /** Number of the messages before it. */
  readonly after: number;
  readonly from: string | null;
  readonly to: string | null;
  readonly permissionMode: PermissionMode;
  readonly at: string;
  readonly rewindId: string | null;
  /** Versions of the files before and after it; absent: they stay. */
  readonly files?: { readonly from: string | null; readonly to: string | null };
  /** Of a rewind; null: a restore. */
  readonly rewind: {
    readonly target: { readonly before: string } | { readonly after: string };
    /** Number of the messages that it removed. */
    readonly removed: number;
    readonly cause: EventData['session.rewound']['cause'] | null;
    /** The message that took their place, by its name in the file. */
    readonly replacedBy: string | null;
  } | null;
}

/** The messages so far, by their names in the file. */
export interface KnownMessages {
  readonly head: string | null;
  /** Undefined: none has this name. */
  uuidOf(name: string): string | undefined;
  parentOf(uuid: string): string | null;
  /** Ids of the rewinds so far. */
  readonly rewinds: ReadonlySet<string>;
}

export const isMoveLine = (value: unknown): value is UnknownObject => isObject(value) && (value['type'] === 'rewind' || value['type'] === 'restore');

type Place = Pick<PlannedMove, 'line' | 'bytes' | 'after'>;

/** Null when it does not fit the messages before it: a line of them may be unreadable. */
export function plannedMove(value: UnknownObject, place: Place, known: KnownMessages): PlannedMove | null {
  const to = targetIn(value['to'], known);
  const [permissionMode, at] = [permissionModeIn(value['permissionMode']), timeIn(value['at'])];
  if (to === undefined || permissionMode === null || at === null) return null;
  const move = { ...place, from: known.head, to, permissionMode, at };
  if (value['type'] === 'restore') {
    const rewindId = value['rewind'] === null ? null : uuidIn(value['rewind']);
    return rewindId !== null && !known.rewinds.has(rewindId) ? null : { ...move, rewindId, rewind: null };
  }
  const rewindId = uuidIn(value['id']);
  const target = rewindTarget(value, known);
  const { removed, cause } = value;
  if (rewindId === null || known.rewinds.has(rewindId) || target === null || !Array.isArray(removed)) return null;
  const isOfFiles = isObject(value['files']) && to === known.head && removed.length === 0;
  if (!isOfFiles && to !== ('after' in target ? target.after : known.parentOf(target.before))) return null;
  if (above(known.head, removed.length, known) !== to) return null;
  const replacedBy = typeof value['replacedBy'] === 'string' ? value['replacedBy'] : null;
  return { ...move, rewindId, rewind: { target, removed: removed.length, cause: cause === 'edit' || cause === 'regenerate' ? cause : null, replacedBy } };
}

/** Its event. `value`: its line. */
export function moveEvent({ from, to, permissionMode, at, rewindId, files, rewind }: PlannedMove, value: unknown, known: KnownMessages): NewEvent {
  const moved = files ? { files } : {};
  if (rewind === null) return { type: 'session.restored', data: { rewindId, from, to, permissionMode, at, ...moved } };
  const { target, cause } = rewind;
  const removed: string[] = [];
  for (let uuid = from; removed.length < rewind.removed; uuid = known.parentOf(uuid!)) removed.push(uuid!);
  const replacedBy = rewind.replacedBy === null ? undefined : known.uuidOf(rewind.replacedBy);
  const reason = isObject(value) && typeof value['reason'] === 'string' ? value['reason'] : null;
  const replaced = cause === null || replacedBy === undefined ? {} : { cause, replacedBy };
  return {
    type: 'session.rewound',
    data: { rewindId: rewindId!, ...target, from, to, removed: removed.reverse(), permissionMode, reason, ...moved, ...replaced, at },
  };
}

/** Undefined: unknown. */
const targetIn = (name: unknown, known: KnownMessages): string | null | undefined =>
  name === null ? null : typeof name === 'string' ? known.uuidOf(name) : undefined;

function rewindTarget({ before, after }: UnknownObject, known: KnownMessages): { readonly before: string } | { readonly after: string } | null {
  const [first, last] = [targetIn(before ?? null, known), targetIn(after ?? null, known)];
  if (typeof first === 'string' && last === null) return { before: first };
  return typeof last === 'string' && first === null ? { after: last } : null;
}

/** The message so many steps above another one; undefined: there are not so many. */
function above(uuid: string | null, steps: number, known: KnownMessages): string | null | undefined {
  let at = uuid;
  for (let step = 0; step < steps; step += 1) {
    if (at === null) return undefined;
    at = known.parentOf(at);
  }
  return at;
}
