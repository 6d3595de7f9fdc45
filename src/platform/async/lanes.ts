/** What waits, in a lane for each tenant: the lanes take turns, so that a tenant waits for its own first. */
export class Lanes<Item> {
  /** The lane whose turn it is comes first. */
  readonly #lanes = new Map<string, Set<Item>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The length of one lane. */
  of(tenantId: string): number {
    return this.#lanes.get(tenantId)?.size ?? 0;
  }

  add(tenantId: string, item: Item): void {
    const lane = this.#lanes.get(tenantId);
    if (lane) lane.add(item);
    else this.#lanes.set(tenantId, new Set([item]));
    this.#size += 1;
  }

  /** Takes the first item of the first lane where it fits; that lane is the last one then. */
  take(fits: (item: Item, tenantId: string) => boolean = () => true): Item | null {
    for (const [tenantId, lane] of this.#lanes) {
      for (const item of lane) {
        if (!fits(item, tenantId)) break;
        this.remove(tenantId, item);
        if (this.#lanes.delete(tenantId)) this.#lanes.set(tenantId, lane);
        return item;
      }
    }
    return null;
  }

  remove(tenantId: string, item: Item): void {
    const lane = this.#lanes.get(tenantId);
    if (!lane?.delete(item)) return;
    this.#size -= 1;
    if (lane.size === 0) this.#lanes.delete(tenantId);
  }
}
