import type { CompactMetadata, StoredMessage } from '../message/message.js';
import { isObject } from '../message/unknown-json.js';

/** A branch, divided by its last compaction. In this order the segments form the model's conversation. */
export interface Segments {
  /** Messages of the compaction: boundary, summary, carried-over skills. Empty without a compaction. */
  readonly carried: readonly StoredMessage[];
  /** Turns before it that are kept verbatim. */
  readonly kept: readonly StoredMessage[];
  /** Everything after it. */
  readonly later: readonly StoredMessage[];
}

/** A complete compaction on this branch: indexes of its first and last message. */
interface Cut {
  readonly from: number;
  readonly to: number;
  readonly metadata: Metadata;
}

/** Unvalidated: an imported boundary may contain anything. */
type Metadata = Partial<Record<keyof CompactMetadata, unknown>>;

/** Divides a branch, oldest message first. Linear in its length. */
export function segmentsOf(branch: readonly StoredMessage[]): Segments {
  const cut = lastCut(branch);
  if (!cut) return { carried: [], kept: [], later: branch };
  return { carried: branch.slice(cut.from, cut.to + 1), kept: keptBy(branch, cut), later: branch.slice(cut.to + 1) };
}

export const isBoundary = (message: StoredMessage): boolean => message.type === 'system' && message.subtype === 'compact_boundary';

/** For each compaction of a branch: the messages that it removed from the model's conversation. Linear in the branch's length. */
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

/** The last compaction. Most branches have none, so the places of messages are not listed before a boundary is found. */
function lastCut(branch: readonly StoredMessage[]): Cut | null {
  const places = new Map<string, number>();
  let listed = branch.length;
  for (let index = branch.length - 1; index >= 0; index -= 1) {
    if (!isBoundary(branch[index]!)) continue;
    while (listed > index + 1) places.set(branch[--listed]!.uuid, listed);
    const cut = cutAt(branch, index, places);
    if (cut) return cut;
  }
  return null;
}

/** Null when the branch does not contain the whole compaction, which then has no effect. */
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

/** The messages from the first kept one to the boundary, without those of earlier compactions in between. */
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
