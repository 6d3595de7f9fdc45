import type { ClaudeEntry } from './claude-entry.js';

/** A message to be, of one line or of the pieces of one answer. Nodes are numbered in the order of their first lines. */
export interface Node {
  readonly uuid: string;
  readonly role: ClaudeEntry['role'];
  readonly lines: number[];
  /** Numbers of the calls it answers; a call that comes back where history was copied has another number. */
  readonly answers: readonly number[];
  /** Number of the node with the calls that this one answers. */
  readonly answersTo: number | null;
}

/** Numbers of nodes in the order of writing, and of each node's parent by the node's number, -1 for a root. */
export interface Order {
  readonly nodes: readonly number[];
  readonly parents: Int32Array;
}

/** Numbers of nodes by number of node; where there is none. */
type Links = Int32Array;
const NONE = -1;

/**
 * Orders the nodes of a file for writing: parents before children, the newest message of the branch in force last, and each below the one it follows.
 *
 * The branch in force is the one of the last prompt, answer or result. The chain of parents alone loses what was written side by side: of the results of
 * parallel calls, the next answer hangs under the last one only. So results of calls on the branch are put back on it, behind the calls, in the order of
 * the lines, and so is what came with them. What a person took back by asking anew stays where it is: beside the branch.
 */
export function orderOf(nodes: readonly Node[], parentOf: (node: number) => number | null): Order {
  const above = Int32Array.from(nodes, (_, node) => parentOf(node) ?? NONE);
  const branch = withLost(nodes, above, chainTo(leafOf(nodes, above), above));
  const parents = new Int32Array(nodes.length).fill(NONE);
  branch.forEach((node, index) => (parents[node] = branch[index - 1] ?? NONE));
  if (branch.length === nodes.length) return { nodes: branch, parents };
  const last = branch.at(-1)!;
  const order = branch.slice(0, -1);
  const isWritten = new Uint8Array(nodes.length);
  for (const node of order) isWritten[node] = 1;
  for (let node = 0; node < nodes.length; node += 1) {
    if (isWritten[node] || node === last) continue;
    const parent = above[node]!;
    if (parent !== NONE && isWritten[parent]) parents[node] = parent;
    isWritten[node] = 1;
    order.push(node);
  }
  order.push(last);
  return { nodes: order, parents };
}

/** From the root to `leaf`. Ends where a damaged file leads in circles. */
function chainTo(leaf: number, parents: Links): readonly number[] {
  const chain: number[] = [];
  const isSeen = new Uint8Array(parents.length);
  for (let node = leaf; node !== NONE && !isSeen[node]; node = parents[node]!) {
    isSeen[node] = 1;
    chain.push(node);
  }
  return chain.reverse();
}

function leafOf(nodes: readonly Node[], parents: Links): number {
  const newest = nodes.findLastIndex(({ role }) => role === 'prompt' || role === 'answer' || role === 'result');
  if (newest === -1) return nodes.length - 1;
  const calls = nodes[newest]!.answersTo;
  if (calls === null) return newest;
  // A result that came late, when the conversation had gone on behind its call.
  const spoken = nodes.findLastIndex(({ role }) => role === 'prompt' || role === 'answer');
  return spoken !== calls && chainTo(spoken, parents).includes(calls) ? spoken : newest;
}

function withLost(nodes: readonly Node[], parents: Links, chain: readonly number[]): readonly number[] {
  /** Of every node on the branch, the one of the chain that it comes with. */
  const anchors = new Int32Array(nodes.length).fill(NONE);
  for (const node of chain) anchors[node] = node;
  if (chain.length === nodes.length) return chain;
  const answered = new Set<number>();
  for (const node of chain) for (const answer of nodes[node]!.answers) answered.add(answer);
  const isLeaf = onlyCompanionsBelow(nodes, parents);
  const extras = new Map<number, number[]>();
  nodes.forEach((node, index) => {
    if (anchors[index] !== NONE) return;
    const { answers } = node;
    const home =
      node.role === 'companion' ? (isLeaf[index] ? parents[index]! : NONE) : answers.some((answer) => !answered.has(answer)) ? node.answersTo! : NONE;
    const anchor = home === NONE ? NONE : anchors[home]!;
    if (anchor === NONE) return;
    anchors[index] = anchor;
    for (const answer of answers) answered.add(answer);
    const same = extras.get(anchor);
    if (same) same.push(index);
    else extras.set(anchor, [index]);
  });
  return extras.size === 0 ? chain : merged(nodes, chain, extras);
}

/** Which companions have nothing below them but companions. */
function onlyCompanionsBelow(nodes: readonly Node[], parents: Links): Uint8Array {
  const result = new Uint8Array(nodes.length).fill(1);
  for (let node = nodes.length - 1; node >= 0; node -= 1) {
    const parent = parents[node]!;
    if (parent !== NONE && (nodes[node]!.role !== 'companion' || !result[node])) result[parent] = 0;
  }
  return result;
}

/** Puts the extras behind their anchors, among what follows up to the next prompt or answer, in the order of the lines. */
function merged(nodes: readonly Node[], chain: readonly number[], extras: ReadonlyMap<number, readonly number[]>): readonly number[] {
  const result: number[] = [];
  for (let start = 0, end = 1; start < chain.length; start = end, end += 1) {
    while (end < chain.length && !isSeam(nodes[chain[end]!]!)) end += 1;
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

const isSeam = ({ role }: Node): boolean => role === 'prompt' || role === 'answer' || role === 'boundary';
