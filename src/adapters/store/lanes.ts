/** What waits, in a lane for each tenant: the lanes take turns, so that a tenant waits for its own first. */
export class Lanes<Item> {
  /** The lane whose turn it is comes first. */
  readonly #lanes = new Map<string, Item[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(tenantId: string, item: Item): void {
    const lane = this.#lanes.get(tenantId);
    if (lane) lane.push(item);
    else this.#lanes.set(tenantId, [item]);
    this.#size += 1;
  }

  /** The next item; not taken when `fits` says no. */
  take(fits: (item: Item) => boolean = () => true): Item | null {
    const [first] = this.#lanes;
    if (!first || !fits(first[1][0]!)) return null;
    const [tenantId, lane] = first;
    const item = lane.shift()!;
    this.#lanes.delete(tenantId);
    if (lane.length > 0) this.#lanes.set(tenantId, lane);
    this.#size -= 1;
    return item;
  }

  remove(tenantId: string, item: Item): void {
    const lane = this.#lanes.get(tenantId);
    const index = lane?.indexOf(item) ?? -1;
    if (!lane || index < 0) return;
    lane.splice(index, 1);
    this.#size -= 1;
    if (lane.length === 0) this.#lanes.delete(tenantId);
  }
}
