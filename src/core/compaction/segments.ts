import type { CompactMetadata, StoredMessage } from '../message/message.js';
import { isObject } from '../message/unknown-json.js';

/** A branch as its last compaction divides it; together, in this order, they are what the model may know of. */
export interface Segments {
  /** What the compaction put there: boundary, summary, and what it carried over. Empty without one. */
  readonly carried: readonly StoredMessage[];
  /** Turns from before it that stay as they are. */
  readonly kept: readonly StoredMessage[];
  /** All that came since. */
  readonly later: readonly StoredMessage[];
}

/** A compaction that has come to its end on this branch: indexes of its first and its last own message. */
interface Cut {
  readonly from: number;
  readonly to: number;
  readonly metadata: Metadata;
}

/** As it is found: an imported boundary may hold anything. */
type Metadata = Partial<Record<keyof CompactMetadata, unknown>>;

/** Divides a branch, oldest message first. Linear in its length. */
export function segmentsOf(branch: readonly StoredMessage[]): Segments {
  const cut = lastCut(branch, branch.length, new Map());
  if (!cut) return { carried: [], kept: [], later: branch };
  return { carried: branch.slice(cut.from, cut.to + 1), kept: keptBy(branch, cut), later: branch.slice(cut.to + 1) };
}

export const isBoundary = (message: StoredMessage): boolean => message.type === 'system' && message.subtype === 'compact_boundary';

/** For each compaction of a branch the messages that the model has known of no longer since then; linear in its length. */
export function removedByCompactions(branch: readonly StoredMessage[]): readonly { readonly boundary: StoredMessage; readonly removed: readonly string[] }[] {
  if (!branch.some(isBoundary)) return [];
  const places = new Map(branch.map(({ uuid }, index) => [uuid, index]));
  const isCarried = new Uint8Array(branch.length);
  let gone = 0;
  let before: Cut | null = null;
  return branch.flatMap((boundary, index) => {
    const cut = isBoundary(boundary) && !isCarried[index] ? cutAt(branch, index, places) : null;
    if (!cut) return [];
    const { keptFrom } = cut.metadata;
    const first = typeof keptFrom === 'string' ? (places.get(keptFrom) ?? index) : index;
    const end = Math.max(gone, Math.min(first, index));
    const removed: string[] = before ? branch.slice(before.from, before.to + 1).map(({ uuid }) => uuid) : [];
    for (; gone < end; gone += 1) if (!isCarried[gone]) removed.push(branch[gone]!.uuid);
    isCarried.fill(1, cut.from, cut.to + 1);
    before = cut;
    return [{ boundary, removed }];
  });
}

/** The last one that begins before `end`. `places`: filled with the index of each message from there on. */
function lastCut(branch: readonly StoredMessage[], end: number, places: Map<string, number>): Cut | null {
  for (let index = end - 1; index >= 0; index -= 1) {
    const message = branch[index]!;
    const cut = isBoundary(message) ? cutAt(branch, index, places) : null;
    if (cut) return cut;
    places.set(message.uuid, index);
  }
  return null;
}

/** Null when the branch leaves the compaction before its end, so that it has no effect here. */
function cutAt(branch: readonly StoredMessage[], from: number, places: ReadonlyMap<string, number>): Cut | null {
  const boundary = branch[from]!;
  const given = 'compactMetadata' in boundary ? (boundary.compactMetadata as unknown) : null;
  const metadata: Metadata = isObject(given) ? given : {};
  const { keptAfter } = metadata;
  if (typeof keptAfter === 'string') {
    const to = places.get(keptAfter) ?? -1;
    return to > from ? { from, to, metadata } : null;
  }
  let to = from;
  while (isSummary(branch[to + 1])) to += 1;
  return { from, to, metadata };
}

const isSummary = (message: StoredMessage | undefined): boolean => message?.type === 'user' && message.isCompactSummary === true;

/** From the first kept message up to the boundary, without what earlier compactions had put in between. */
function keptBy(branch: readonly StoredMessage[], { from, metadata: { keptFrom } }: Cut): readonly StoredMessage[] {
  if (typeof keptFrom !== 'string') return [];
  const places = new Map<string, number>();
  const found: number[] = [];
  for (let index = from - 1; index >= 0; index -= 1) {
    const message = branch[index]!;
    const cut = isBoundary(message) ? cutAt(branch, index, places) : null;
    if (cut) while ((found.at(-1) ?? branch.length) <= cut.to) found.pop();
    else found.push(index);
    if (message.uuid === keptFrom) return found.reverse().map((place) => branch[place]!);
    places.set(message.uuid, index);
  }
  return [];
}
