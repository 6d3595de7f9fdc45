import type { CompactMetadata, StoredMessage } from '../protocol/message/message.js';
import { isObject } from '../protocol/message/unknown-json.js';

/** A branch, divided by its last compaction. In this order the segments form the model's conversation. */
export interface Segments {
  /** Messages of the compaction: boundary, summary, carried-over skills. Empty without a compaction. */
  readonly carried: readonly StoredMessage[];
  /** Messages before it that are kept verbatim. */
  readonly kept: readonly StoredMessage[];
  /** Everything after it. */
  readonly later: readonly StoredMessage[];
}

/** A complete compaction on this branch: indexes of its first and last message. */
interface Cut {
  readonly from: number;
  readonly to: number;
  /** The messages it kept: by uuid, or from one on. */
  readonly kept: { readonly uuids: readonly unknown[] } | { readonly from: string } | null;
}

/** Unvalidated: an imported boundary may contain anything. */
type Metadata = Partial<Record<keyof CompactMetadata, unknown>>;

type Places = ReadonlyMap<string, number>;

/** Divides a branch, oldest message first. Linear in its length. */
export function segmentsOf(branch: readonly StoredMessage[]): Segments {
  const cut = lastCut(branch);
  if (!cut) return { carried: [], kept: [], later: branch };
  const kept = keptBy(branch, cut).map((place) => branch[place]!);
  return { carried: branch.slice(cut.from, cut.to + 1), kept, later: branch.slice(cut.to + 1) };
}

export const isBoundary = (message: StoredMessage): boolean => message.type === 'system' && message.subtype === 'compact_boundary';

/** For each compaction of a branch: the messages that it removed from the model's conversation. Linear in the branch's length and in the lists of kept messages. */
export function removedByCompactions(branch: readonly StoredMessage[]): readonly { readonly boundary: StoredMessage; readonly removed: readonly string[] }[] {
  if (!branch.some(isBoundary)) return [];
  const places = placesOf(branch, branch.length);
  const isCarried = new Uint8Array(branch.length);
  // What the conversation consists of: single messages before `next`, and all from there on.
  let single: readonly number[] = [];
  let next = 0;
  return branch.flatMap((boundary, index) => {
    const cut = isBoundary(boundary) && !isCarried[index] ? cutAt(branch, index, places) : null;
    if (!cut) return [];
    const { kept } = cut;
    const first = kept !== null && 'from' in kept ? (places.get(kept.from) ?? index) : index;
    const listed = new Set(kept !== null && 'uuids' in kept ? listedPlaces(kept.uuids, places, index) : []);
    const before = [...single];
    for (const end = Math.max(next, Math.min(first, index)); next < end; next += 1) if (!isCarried[next]) before.push(next);
    const stays = (place: number): boolean => listed.has(place) || (place >= first && !isCarried[place]);
    const carried = range(cut.from, cut.to);
    isCarried.fill(1, cut.from, cut.to + 1);
    single = [...carried, ...before.filter(stays)];
    return [{ boundary, removed: before.filter((place) => !stays(place)).map((place) => branch[place]!.uuid) }];
  });
}

const range = (from: number, to: number): readonly number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);

const placesOf = (branch: readonly StoredMessage[], to: number): Places => new Map(branch.slice(0, to).map(({ uuid }, index) => [uuid, index]));

/** The last compaction. Most branches have none, so the places of messages are not listed before a boundary is found. */
function lastCut(branch: readonly StoredMessage[]): Cut | null {
  const places = new Map<string, number>();
  let listed = branch.length;
  for (let index = branch.length - 1; index >= 0; index -= 1) {
    if (!isBoundary(branch[index]!)) continue;
    while (listed > index) places.set(branch[--listed]!.uuid, listed);
    const cut = cutAt(branch, index, places);
    if (cut) return cut;
  }
  return null;
}

/** Null when the branch does not contain the whole compaction, which then has no effect. */
function cutAt(branch: readonly StoredMessage[], from: number, places: Places): Cut | null {
  const boundary = branch[from]!;
  const given = 'compactMetadata' in boundary ? (boundary.compactMetadata as unknown) : null;
  const { kept: uuids, keptFrom, keptAfter }: Metadata = isObject(given) ? given : {};
  const kept = Array.isArray(uuids) ? { uuids: uuids as readonly unknown[] } : typeof keptFrom === 'string' ? { from: keptFrom } : null;
  if (typeof keptAfter === 'string') {
    const to = places.get(keptAfter) ?? -1;
    return to > from || (to === from && kept !== null && 'uuids' in kept) ? { from, to, kept } : null;
  }
  let to = from;
  while (isSummary(branch[to + 1])) to += 1;
  return { from, to, kept };
}

const isSummary = (message: StoredMessage | undefined): boolean => message?.type === 'user' && message.isCompactSummary === true;

/** Places of the messages that the last compaction kept. */
function keptBy(branch: readonly StoredMessage[], { from, kept }: Cut): readonly number[] {
  if (kept === null) return [];
  return 'uuids' in kept ? listedPlaces(kept.uuids, placesOf(branch, from), from) : placesFrom(branch, from, kept.from);
}

/** Places before `end` of the listed messages, in the order of the list. */
function listedPlaces(uuids: readonly unknown[], places: Places, end: number): readonly number[] {
  return [...new Set(uuids.map((uuid) => (typeof uuid === 'string' ? places.get(uuid) : undefined)))].filter(
    (place) => place !== undefined && place < end,
  ) as number[];
}

/** Places of the messages of the conversation before `end`, from the one with this uuid on, without those of earlier compactions in between. */
function placesFrom(branch: readonly StoredMessage[], end: number, uuid: string): readonly number[] {
  const places = new Map<string, number>();
  const found: number[] = [];
  for (let index = end - 1; index >= 0; index -= 1) {
    const message = branch[index]!;
    const cut = isBoundary(message) ? cutAt(branch, index, places.set(message.uuid, index)) : null;
    if (cut) while ((found.at(-1) ?? branch.length) <= cut.to) found.pop();
    else found.push(index);
    if (message.uuid === uuid) return found.reverse();
    places.set(message.uuid, index);
    if (cut?.kept && 'uuids' in cut.kept) return fromListed(branch, keptBy(branch, cut), found.reverse(), uuid);
  }
  return [];
}

/** Before the compaction at which the search ended the conversation consists of the messages that it kept. */
function fromListed(branch: readonly StoredMessage[], listed: readonly number[], found: readonly number[], uuid: string): readonly number[] {
  const start = listed.findIndex((place) => branch[place]!.uuid === uuid);
  return start === -1 ? [] : [...listed.slice(start), ...found];
}
