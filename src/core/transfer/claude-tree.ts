import type { ClaudeEntry } from './claude-entry.js';

/** A message to be, of one line or of the pieces of one answer. Nodes are numbered in the order of their first lines. */
export interface Node {
  readonly uuid: string;
  readonly role: ClaudeEntry['role'];
  readonly lines: number[];
  readonly parent: ClaudeEntry['parent'];
  readonly answers: readonly string[];
  /** Number of the node with the calls that this one answers. */
  readonly answersTo: number | null;
}

/** A node's number and its parent's. */
export interface Placed {
  readonly node: number;
  readonly parent: number | null;
}

/**
 * Orders the nodes of a file for writing: parents before children, the newest message of the branch in force last, and each below the one it follows.
 *
 * The branch in force is the one of the last prompt, answer or result. The chain of parents alone loses what was written side by side: of the results of
 * parallel calls, the next answer hangs under the last one only. So results of calls on the branch are put back on it, behind the calls, in the order of
 * the lines, and so is what came with them. What a person took back by asking anew stays where it is: beside the branch.
 */
export function orderOf(nodes: readonly Node[], parentOf: (node: number) => number | null): readonly Placed[] {
  const parents = nodes.map((_, node) => parentOf(node));
  const chain = chainTo(leafOf(nodes, parents), parents);
  const branch = withLost(nodes, parents, chain);
  const last = branch.at(-1);
  if (last === undefined) return [];
  const placed: Placed[] = branch.map((node, index) => ({ node, parent: branch[index - 1] ?? null }));
  const end = placed.pop()!;
  const written = new Set(branch);
  written.delete(last);
  for (let node = 0; node < nodes.length; node += 1) {
    if (written.has(node) || node === last) continue;
    const parent = parents[node] ?? null;
    placed.push({ node, parent: parent !== null && written.has(parent) ? parent : null });
    written.add(node);
  }
  return [...placed, end];
}

/** From the root to `leaf`. Ends where a damaged file leads in circles. */
function chainTo(leaf: number | null, parents: readonly (number | null)[]): readonly number[] {
  const chain: number[] = [];
  const seen = new Set<number>();
  for (let node = leaf; node !== null && !seen.has(node); node = parents[node] ?? null) {
    seen.add(node);
    chain.push(node);
  }
  return chain.reverse();
}

function leafOf(nodes: readonly Node[], parents: readonly (number | null)[]): number | null {
  const newest = nodes.findLastIndex(({ role }) => role === 'prompt' || role === 'answer' || role === 'result');
  if (newest === -1) return nodes.length === 0 ? null : nodes.length - 1;
  const calls = nodes[newest]!.answersTo;
  if (calls === null) return newest;
  // A result that came late, when the conversation had gone on behind its call.
  const spoken = nodes.findLastIndex(({ role }) => role === 'prompt' || role === 'answer');
  return spoken !== calls && chainTo(spoken, parents).includes(calls) ? spoken : newest;
}

function withLost(nodes: readonly Node[], parents: readonly (number | null)[], chain: readonly number[]): readonly number[] {
  /** Of every node on the branch, the one of the chain that it comes with. */
  const anchors = new Map(chain.map((node) => [node, node]));
  const answered = new Set(chain.flatMap((node) => answersIn(nodes[node]!)));
  const leaves = onlyCompanionsBelow(nodes, parents);
  const extras = new Map<number, number[]>();
  nodes.forEach((node, index) => {
    if (anchors.has(index)) return;
    const anchor = anchorOf(node);
    if (anchor === undefined) return;
    anchors.set(index, anchor);
    const same = extras.get(anchor);
    if (same) same.push(index);
    else extras.set(anchor, [index]);
    for (const answer of answersIn(node)) answered.add(answer);

    function anchorOf({ role, answersTo }: Node): number | undefined {
      if (role === 'companion') return leaves[index] ? anchors.get(parents[index] ?? -1) : undefined;
      if (role !== 'result' || answersTo === null || !anchors.has(answersTo)) return undefined;
      return answersIn(node).some((answer) => !answered.has(answer)) ? answersTo : undefined;
    }
  });
  return extras.size === 0 ? chain : merged(nodes, chain, extras);
}

/** Calls are told apart by the answer they stand in: their ids come back where history was copied. */
const answersIn = ({ answersTo, answers }: Node): readonly string[] => (answersTo === null ? [] : answers.map((id) => `${answersTo} ${id}`));

/** Which companions have nothing below them but companions. */
function onlyCompanionsBelow(nodes: readonly Node[], parents: readonly (number | null)[]): readonly boolean[] {
  const result = nodes.map(() => true);
  for (let node = nodes.length - 1; node >= 0; node -= 1) {
    const parent = parents[node];
    if (parent !== null && parent !== undefined && (nodes[node]!.role !== 'companion' || !result[node])) result[parent] = false;
  }
  return result;
}

/** Puts the extras behind their anchors, among what follows up to the next prompt or answer, in the order of the lines. */
function merged(nodes: readonly Node[], chain: readonly number[], extras: ReadonlyMap<number, readonly number[]>): readonly number[] {
  const result: number[] = [];
  for (let start = 0, end = 1; start < chain.length; start = end, end += 1) {
    while (end < chain.length && !isSeam(nodes[chain[end]!]!)) end += 1;
    const stretch = chain.slice(start, end);
    const more = stretch.flatMap((node, place) => (extras.get(node) ?? []).map((extra) => ({ extra, place }))).sort((one, other) => one.extra - other.extra);
    let next = 0;
    for (const { extra, place } of more) {
      while (next <= place || (next < stretch.length && stretch[next]! < extra)) result.push(stretch[next++]!);
      result.push(extra);
    }
    for (const node of stretch.slice(next)) result.push(node);
  }
  return result;
}

const isSeam = ({ role }: Node): boolean => role === 'prompt' || role === 'answer' || role === 'boundary';
