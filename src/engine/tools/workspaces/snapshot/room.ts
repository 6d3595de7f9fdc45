import type { FolderLimits } from './task.js';

/**
 * The room that a folder's limits leave for files. Recorded files have theirs reserved until they are met: a new file that would need it waits for the end, so that no file that has not changed is left
 * out for another.
 */
export class Room {
  readonly #reserved: Map<string, number>;
  #reservedBytes = 0;
  readonly #waiting: string[] = [];
  #files = 0;
  #bytes = 0;

  constructor(
    private readonly limits: Pick<FolderLimits, 'files' | 'bytes'>,
    recorded: ReadonlyMap<string, number>,
  ) {
    this.#reserved = new Map(recorded);
    for (const size of recorded.values()) this.#reservedBytes += size;
  }

  /** Null: the file has room, which `take` then takes. `waits`: it is to be visited again after `release`. */
  isFullFor(path: string, bytes: number): 'too_many' | 'too_many_bytes' | 'waits' | null {
    this.#reservedBytes -= this.#reserved.get(path) ?? 0;
    this.#reserved.delete(path);
    if (this.#files >= this.limits.files) return 'too_many';
    if (this.#bytes + bytes > this.limits.bytes) return 'too_many_bytes';
    if (this.#files + this.#reserved.size < this.limits.files && this.#bytes + this.#reservedBytes + bytes <= this.limits.bytes) return null;
    this.#waiting.push(path);
    return 'waits';
  }

  take(bytes: number): void {
    this.#files += 1;
    this.#bytes += bytes;
  }

  /** Ends the reservations: recorded files that were not met are gone. Returns what waited, in order. */
  release(): readonly string[] {
    this.#reserved.clear();
    this.#reservedBytes = 0;
    return this.#waiting.splice(0);
  }
}
