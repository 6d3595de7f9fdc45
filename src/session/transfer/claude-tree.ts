import { Ancestry } from './ancestry.js';
import type { Compactions } from './claude-compactions.js';
import type { ClaudeEntry } from './claude-entry.js';

/** A message to be written, of one line or of several. Nodes are numbered in the order of the file, but parents come before their children. */
export interface Node {
  readonly role: ClaudeEntry['role'];
  /** Numbers of the calls it answers. A call that is repeated in copied history has another number. */
  readonly answers: readonly number[];
  /** Number of the node with those calls. */
  readonly answersTo: number | null;
  readonly lines: readonly number[];
  /** Number of the node that takes it back. */
  readonly withdrawnBy: number | null;
  /** As the file has it; see Compactions. */
  readonly parent: number | null;
}

/** An explicit end of the active branch; messages after this line of the file may extend it. `node` null: rewound to the start. */
export interface Leaf {
  readonly node: number | null;
  readonly line: number;
}

/** A message to be written: a node, or a boundary without its own line, which stands before the node `before` and keeps the nodes `kept`. */
export type Item = { readonly node: number } | { readonly before: number | null; readonly kept: readonly number[] };

/** Items in the order of writing; `parents`: position of each item's parent, -1 for a root; `branch`: positions of the active branch; `head`: that of its newest message. */
export interface Order {
  readonly items: readonly Item[];
  readonly parents: readonly number[];
  readonly branch: ReadonlySet<number>;
  readonly head: number;
}

/** Numbers of nodes by number of node; where there is none. */
type Links = Int32Array;
const NONE = -1;

/**
 * Orders the nodes of a file for writing: parents before children, the newest message of the active branch last, unless other messages are below it.
 *
 * The active branch ends at `leaf`, or else at the last prompt, answer or result; local commands and late results do not select a branch. The chain of
 * parents alone is incomplete: of the results of parallel calls, the next answer is a child of the last one only. Results of calls on the branch are
 * therefore placed after their calls, in line order, with the messages that belong to them. Conversation before the root of the branch is joined to it by a
 * boundary: readers see it, the model does not. Other branches keep their position.
 */
export function orderOf(nodes: readonly Node[], compactions: Compactions, leaf: Leaf | null): Order {
  const above = Int32Array.from(compactions.parents, (parent) => parent ?? NONE);
  const { chain, restarts, context } = joinedChain(nodes, above, compactions, leaf);
  const isCut = (node: number): boolean => restarts.has(node) || compactions.contextBefore(node) !== null;
  const branch = withLost(nodes, above, withKept(chain, compactions), isCut);
  const items: Item[] = [];
  const parents: number[] = [];
  const positions = new Int32Array(nodes.length).fill(NONE);
  const write = (item: Item, parent: number): void => {
    if ('node' in item) positions[item.node] = items.length;
    items.push(item);
    parents.push(parent);
  };
  const tail: Item[] = [];
  for (const node of branch) {
    const before = restarts.has(node) ? [] : compactions.contextBefore(node);
    if (before !== null) tail.push({ before: node, kept: before });
    tail.push({ node });
  }
  if (leaf?.node === null && !branch.some((node) => isAfter(leaf, nodes[node]!))) tail.push({ before: null, kept: [] });
  if (context !== null) tail.push({ before: null, kept: context });
  const onBranch = new Set(branch);
  // A file that ends with a rewind has messages below the one that it was rewound to.
  const isAbove = (item: Item | undefined): boolean =>
    item !== undefined && 'node' in item && above.some((parent, node) => parent === item.node && !onBranch.has(node));
  const last = isAbove(tail.at(-1)) ? undefined : tail.pop();
  tail.forEach((item, index) => write(item, index - 1));
  const end = items.length - 1;
  nodes.forEach((_, node) => {
    if (!onBranch.has(node)) write({ node }, above[node] === NONE ? NONE : positions[above[node]!]!);
  });
  if (last) write(last, end);
  const head = last ? items.length - 1 : end;
  return { items, parents, branch: new Set([...tail.keys(), head].filter((at) => at >= 0)), head };
}

/** Adds the kept messages of compactions that are not on the chain. */
function withKept(chain: readonly number[], compactions: Compactions): readonly number[] {
  if (compactions.boundaries.size === 0) return chain;
  const known = new Set(chain);
  return chain.flatMap((node) => {
    const kept = [...(compactions.boundaries.get(node)?.kept ?? []), ...(compactions.contextBefore(node) ?? [])].filter((one) => !known.has(one));
    for (const one of kept) known.add(one);
    return [...new Set(kept), node];
  });
}

const isAfter = ({ line }: Leaf, { lines }: Node): boolean => lines.every((one) => one > line);

interface Chain {
  /** To the leaf, with the chains of earlier conversations before its root. */
  readonly chain: readonly number[];
  /** The roots that have another conversation before them. */
  readonly restarts: ReadonlySet<number>;
  /** When the leaf is a message that a compaction kept: what the model's context consists of. */
  readonly context: readonly number[] | null;
}

function joinedChain(nodes: readonly Node[], above: Links, compactions: Compactions, leaf: Leaf | null): Chain {
  const ancestry = new Ancestry();
  for (const { parent } of nodes) ancestry.add(parent);
  const chains: (readonly number[])[] = [];
  const restarts = new Set<number>();
  const seen = new Set<number>();
  const last = leafOf(nodes, ancestry, leaf);
  const kept = leaf !== null && last === leaf.node ? compactions.keptAt(last, ({ lines }) => lines[0]! < leaf.line) : null;
  let end = kept?.after ?? last;
  while (end !== NONE) {
    const chain = chainTo(end, above);
    // Only a damaged file, whose parents come after their children, has a chain that joins another.
    if (chain.some((node) => seen.has(node))) break;
    if (chains.length > 0) restarts.add(chains.at(-1)![0]!);
    chains.push(chain);
    for (const node of chain) seen.add(node);
    const root = chain[0]!;
    // A chain that starts in a circle has no root.
    end = above[root] === NONE ? newest(nodes, ancestry, 0, Math.min(root, end), () => true) : NONE;
  }
  return { chain: chains.reverse().flat(), restarts, context: kept?.context ?? null };
}

/** From the root to `leaf`. Ends where a damaged file has a circle. */
function chainTo(leaf: number, parents: Links): readonly number[] {
  const chain: number[] = [];
  const seen = new Set<number>();
  for (let node = leaf; node !== NONE && !seen.has(node); node = parents[node]!) {
    seen.add(node);
    chain.push(node);
  }
  return chain.reverse();
}

function leafOf(nodes: readonly Node[], ancestry: Ancestry, leaf: Leaf | null): number {
  const all = newest(nodes, ancestry, 0, nodes.length, () => true);
  if (leaf === null) return all === NONE ? nodes.length - 1 : all;
  const { node } = leaf;
  const isLater = nodes.map((one) => isAfter(leaf, one));
  if (node === null) {
    const later = newest(nodes, ancestry, 0, nodes.length, (one) => isLater[ancestry.root(one)]!);
    return later === NONE ? newest(nodes, ancestry, 0, nodes.length, (one) => !isLater[one]) : later;
  }
  const later = newest(nodes, ancestry, 0, nodes.length, (one) => one !== node && ancestry.isAncestor(node, one) && isLater[ancestry.childToward(node, one)]!);
  return later === NONE ? node : later;
}

/** The last prompt or answer of a range that is accepted, or the last result, and then the last local command, below it. */
function newest(nodes: readonly Node[], ancestry: Ancestry, from: number, to: number, isAccepted: (node: number) => boolean): number {
  let found = to - 1;
  while (found >= from && !(isSpoken(nodes[found]!) && isAccepted(found))) found -= 1;
  if (found < from) {
    found = to - 1;
    while (found >= from && !(nodes[found]!.role === 'result' && isAccepted(found))) found -= 1;
    if (found < from) return NONE;
  }
  for (const role of ['result', 'command']) {
    for (let node = to - 1; node > found; node -= 1) if (nodes[node]!.role === role && ancestry.isAncestor(found, node)) found = node;
  }
  return found;
}

const isSpoken = ({ role }: Node): boolean => role === 'prompt' || role === 'answer';

/** Adds to the chain the results of its calls, and the messages that belong to a message of it. */
function withLost(nodes: readonly Node[], parents: Links, chain: readonly number[], isCut: (node: number) => boolean): readonly number[] {
  /** Of every node on the branch, the node of the chain that it is placed after. */
  const anchors = new Int32Array(nodes.length).fill(NONE);
  for (const node of chain) anchors[node] = node;
  if (chain.length === nodes.length) return chain;
  const answered = new Set<number>();
  for (const node of chain) for (const answer of nodes[node]!.answers) answered.add(answer);
  const isLeaf = onlyCompanionsBelow(nodes, parents);
  const extras = new Map<number, number[]>();
  const place = (node: number, anchor: number): void => {
    anchors[node] = anchor;
    const same = extras.get(anchor);
    if (same) same.push(node);
    else extras.set(anchor, [node]);
  };
  nodes.forEach((node, index) => {
    if (anchors[index] !== NONE) return;
    const { answers } = node;
    const home =
      node.role === 'companion' ? (isLeaf[index] ? parents[index]! : NONE) : answers.some((answer) => !answered.has(answer)) ? node.answersTo! : NONE;
    const anchor = home === NONE ? NONE : anchors[home]!;
    if (anchor === NONE) return;
    for (const answer of answers) answered.add(answer);
    place(index, anchor);
  });
  // What was taken back is shown where the message that takes it back is.
  nodes.forEach(({ withdrawnBy }, index) => {
    const anchor = withdrawnBy === null || anchors[withdrawnBy] === NONE || parents[index] === NONE ? NONE : anchors[parents[index]!]!;
    if (anchor !== NONE && anchors[index] === NONE) place(index, anchor);
  });
  const isSeam = (node: number): boolean => isSpoken(nodes[node]!) || nodes[node]!.role === 'boundary' || isCut(node);
  return extras.size === 0 ? chain : merged(chain, extras, isSeam);
}

/** Marks the companions whose descendants are all companions. */
function onlyCompanionsBelow(nodes: readonly Node[], parents: Links): Uint8Array {
  const result = new Uint8Array(nodes.length).fill(1);
  for (let node = nodes.length - 1; node >= 0; node -= 1) {
    const parent = parents[node]!;
    if (parent !== NONE && (nodes[node]!.role !== 'companion' || !result[node])) result[parent] = 0;
  }
  return result;
}

/** Places the extras after their anchors and before the next seam, in line order. */
function merged(chain: readonly number[], extras: ReadonlyMap<number, readonly number[]>, isSeam: (node: number) => boolean): readonly number[] {
  const result: number[] = [];
  for (let start = 0, end = 1; start < chain.length; start = end, end += 1) {
    while (end < chain.length && !isSeam(chain[end]!)) end += 1;
    const more: { readonly extra: number; readonly place: number }[] = [];
    for (let place = start; place < end; place += 1) for (const extra of extras.get(chain[place]!) ?? []) more.push({ extra, place });
    more.sort((one, other) => one.extra - other.extra);
    let next = start;
    for (const { extra, place } of more) {
      while (next <= place || (next < end && chain[next]! < extra)) result.push(chain[next++]!);
      result.push(extra);
    }
    while (next < end) result.push(chain[next++]!);
  }
  return result;
}
