import { Ancestry } from './ancestry.js';
import type { Preserved } from './claude-entry.js';
import type { MessageNode } from './claude-nodes.js';

/** Messages that a boundary keeps verbatim for the model, in its order. They follow the message `after`: the boundary or one below it. */
export interface Kept {
  readonly after: number;
  readonly kept: readonly number[];
}

type NodeOf = (uuid: string) => number | null | undefined;

/**
 * Compactions that keep messages, as the loader of Claude Code reads them: the first kept message follows the anchor (the summary, or the boundary itself), what
 * else follows the anchor comes after the last kept one, and all other messages before the boundary leave the context. A list that names a message which is not
 * in the file, and a segment whose ends are not on one branch, have no effect.
 */
export class Compactions {
  /** The parents of all nodes. What continues a kept message after its compaction stands below the compaction. */
  readonly parents: (number | null)[];
  /** By the number of the boundary. */
  readonly boundaries = new Map<number, Kept>();
  /** Nodes that continue another message than the last kept one. */
  readonly #rewound = new Map<number, readonly number[]>();
  /** The last boundary so far that keeps a node, and the node's place in its list. */
  readonly #keptAs = new Map<number, { readonly boundary: number; readonly at: number }>();
  /** The last boundary so far with this anchor. */
  readonly #anchors = new Map<number, number>();
  readonly #ancestry = new Ancestry();
  readonly #results = new Map<number, number[]>();
  /** The last boundary so far that keeps messages. */
  #last = 0;
  /** Segments may overlap, and many messages may continue one: what following them costs is bounded. */
  #steps: number;

  constructor(
    private readonly nodes: readonly MessageNode[],
    private readonly nodeOf: NodeOf,
  ) {
    this.parents = nodes.map(({ parent }) => parent);
    this.#steps = 4 * nodes.length;
    if (!nodes.some(({ entry }) => entry.preserved !== null)) return;
    for (const parent of this.parents) this.#ancestry.add(parent);
    nodes.forEach(({ answersTo }, node) => {
      const same = answersTo === null ? undefined : this.#results.get(answersTo);
      if (same) same.push(node);
      else if (answersTo !== null) this.#results.set(answersTo, [node]);
    });
    nodes.forEach(({ entry, parent }, node) => {
      if (parent !== null) this.#relink(node, parent);
      if (entry.preserved !== null) this.#keep(node, entry.preserved);
    });
  }

  /** What the model's context consists of before a node that continues another message than the last kept one; null for other nodes. */
  contextBefore(node: number): readonly number[] | null {
    return this.#rewound.get(node) ?? null;
  }

  /** The compaction that keeps a node, as the end of a branch: its last message, and the context, null when it keeps nothing after the node. */
  keptAt(node: number, isEarlier: (boundary: MessageNode) => boolean): { readonly after: number; readonly context: readonly number[] | null } | null {
    const found = this.#keptAs.has(node) ? this.#contextTo(node) : null;
    if (found === null || !isEarlier(this.nodes[found.boundary]!)) return null;
    return { after: this.boundaries.get(found.boundary)!.after, context: found.context };
  }

  #keep(boundary: number, preserved: Preserved): void {
    const after = this.nodeOf(preserved.anchor);
    if (typeof after !== 'number' || after < boundary || !this.#ancestry.isAncestor(boundary, after)) return;
    const named = 'uuids' in preserved ? this.#listed(preserved.uuids) : this.#segment(preserved.head, preserved.tail);
    if (named === null || named.length === 0 || named.some((node) => node >= boundary)) return;
    const kept = this.#withResults(named, boundary);
    this.boundaries.set(boundary, { after, kept });
    this.#last = boundary;
    this.#anchors.set(after, boundary);
    kept.forEach((node, at) => this.#keptAs.set(node, { boundary, at }));
  }

  #listed(uuids: readonly string[]): readonly number[] | null {
    const found = uuids.map((uuid) => this.nodeOf(uuid));
    return found.includes(undefined) ? null : [...new Set(found.filter((node) => typeof node === 'number'))];
  }

  /** From the tail up to the head, through what earlier compactions kept. */
  #segment(head: string, tail: string): readonly number[] | null {
    const end = this.nodeOf(head);
    const found: number[] = [];
    for (let node = this.nodeOf(tail); typeof node === 'number' && this.#steps > 0; node = this.#before(node)) {
      this.#steps -= 1;
      found.push(node);
      if (node === end) return found.reverse();
    }
    return null;
  }

  /** The message before this one in the model's context. */
  #before(node: number): number | null {
    const as = this.#keptAs.get(node);
    if (as) return as.at > 0 ? this.boundaries.get(as.boundary)!.kept[as.at - 1]! : this.boundaries.get(as.boundary)!.after;
    const { parent } = this.nodes[node]!;
    const boundary = parent === null ? undefined : this.#anchors.get(parent);
    return boundary === undefined ? parent : this.boundaries.get(boundary)!.kept.at(-1)!;
  }

  /** Of parallel calls the chain of parents has the last result only. */
  #withResults(named: readonly number[], boundary: number): readonly number[] {
    const answered = new Set(named.flatMap((node) => this.nodes[node]!.answers));
    return named.flatMap((node) => [
      node,
      ...(this.#results.get(node) ?? []).filter((result) => {
        const { answers } = this.nodes[result]!;
        if (result >= boundary || answers.every((answer) => answered.has(answer))) return false;
        for (const answer of answers) answered.add(answer);
        return true;
      }),
    ]);
  }

  /** A node that was written after a compaction, and whose parent was written before. */
  #relink(node: number, parent: number): void {
    if (parent >= this.#last) return;
    const before = this.#before(node);
    const found = before === null ? null : this.#contextTo(before);
    if (found === null || parent >= found.boundary) return;
    const { after } = this.boundaries.get(found.boundary)!;
    if (after >= node) return; // the file has the summary behind what follows it
    this.parents[node] = after;
    if (found.context !== null) this.#rewound.set(node, found.context);
  }

  /** The boundary at which the context of a node begins, when it keeps messages, and the context; null: all that it keeps. */
  #contextTo(node: number): { readonly boundary: number; readonly context: readonly number[] | null } | null {
    const context: number[] = [];
    let at: number | null = node;
    for (; at !== null && this.nodes[at]!.role !== 'boundary'; at = this.#before(at)) {
      if (this.#steps-- <= 0) return null;
      context.push(at);
    }
    const found = at === null ? undefined : this.boundaries.get(at);
    if (at === null || found === undefined) return null;
    const isWhole = node === found.kept.at(-1) && this.#keptAs.get(node)?.boundary === at;
    return { boundary: at, context: isWhole ? null : this.#withResults(context.reverse(), at) };
  }
}
