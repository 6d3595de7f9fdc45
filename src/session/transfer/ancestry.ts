/** Ancestor queries on a forest in O(log n), by jump pointers. Nodes are numbered from 0 and added in order; a parent has a smaller number than its children. */
export class Ancestry {
  readonly #parents: number[] = [];
  readonly #depths: number[] = [];
  /** An ancestor several levels up; the node itself for a root. */
  readonly #jumps: number[] = [];

  /** `parent` null, or not added yet: the node counts as a root. */
  add(parent: number | null): void {
    const node = this.#parents.length;
    if (parent === null || parent >= node) {
      this.#parents.push(node);
      this.#depths.push(0);
      this.#jumps.push(node);
      return;
    }
    const jump = this.#jumps[parent]!;
    const isEven = this.#depths[parent]! - this.#depths[jump]! === this.#depths[jump]! - this.#depths[this.#jumps[jump]!]!;
    this.#parents.push(parent);
    this.#depths.push(this.#depths[parent]! + 1);
    this.#jumps.push(isEven ? this.#jumps[jump]! : parent);
  }

  /** True also for a node and itself. */
  isAncestor(ancestor: number, node: number): boolean {
    return this.#at(node, this.#depths[ancestor]!) === ancestor;
  }

  /** The child of `ancestor` on the way to `node`, which is a descendant. */
  childToward(ancestor: number, node: number): number {
    return this.#at(node, this.#depths[ancestor]! + 1);
  }

  root(node: number): number {
    return this.#at(node, 0);
  }

  #at(node: number, depth: number): number {
    let at = node;
    while (this.#depths[at]! > depth) at = this.#depths[this.#jumps[at]!]! >= depth ? this.#jumps[at]! : this.#parents[at]!;
    return at;
  }
}
