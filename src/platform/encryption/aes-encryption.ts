import { randomBytes } from 'node:crypto';
import { type DataKey, type KeyRing, Encryption, type StoredKey } from '../../ports/index.js';
import { AesDataKey, KEY_BYTES } from './aes-data-key.js';

interface Kept {
  readonly key: DataKey;
  /** Milliseconds, monotonic. */
  readonly usedAt: number;
}

/** Data keys, the most recently used of which are kept in memory. */
export class AesEncryption extends Encryption {
  /** Least recently used first. */
  readonly #known = new Map<string, Kept>();
  readonly #unwrapping = new Map<string, Promise<DataKey>>();

  /** `most`: how many keys are kept. `clock`: milliseconds, monotonic. */
  constructor(
    private readonly ring: KeyRing,
    override readonly isOn: boolean,
    private readonly most: number,
    private readonly clock: () => number = () => performance.now(),
  ) {
    super();
  }

  override async create(id: string): Promise<{ readonly key: DataKey; readonly stored: StoredKey }> {
    const key = randomBytes(KEY_BYTES);
    return { key: new AesDataKey(key), stored: { id, ...(await this.ring.wrap(key, id)) } };
  }

  override known(id: string): DataKey | null {
    const kept = this.#known.get(id);
    if (!kept) return null;
    this.keep(id, kept.key);
    return kept.key;
  }

  /** Moves it to the end of the order in which keys are dropped. */
  override keep(id: string, key: DataKey): void {
    this.#known.delete(id);
    this.#known.set(id, { key, usedAt: this.clock() });
    if (this.#known.size <= this.most) return;
    const [oldest] = this.#known.keys();
    this.#known.delete(oldest!);
  }

  override drop(id: string): void {
    this.#known.delete(id);
    this.#unwrapping.delete(id); // one that is being unwrapped is not kept
  }

  override dropUnused(idleMs: number): void {
    const before = this.clock() - idleMs;
    for (const [id, { usedAt }] of this.#known) {
      if (usedAt > before) return;
      this.#known.delete(id);
    }
  }

  override async unwrap(stored: StoredKey): Promise<DataKey> {
    const known = this.known(stored.id);
    if (known) return known;
    const { id } = stored;
    const running = this.#unwrapping.get(id) ?? this.#unwrapped(stored);
    this.#unwrapping.set(id, running);
    try {
      const key = await running;
      if (this.#unwrapping.get(id) === running) this.keep(id, key);
      return key;
    } finally {
      if (this.#unwrapping.get(id) === running) this.#unwrapping.delete(id);
    }
  }

  async #unwrapped({ id, keyId, wrapped }: StoredKey): Promise<DataKey> {
    return new AesDataKey(await this.ring.unwrap({ keyId, wrapped }, id));
  }
}
