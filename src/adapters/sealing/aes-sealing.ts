import { randomBytes } from 'node:crypto';
import { type DataKey, type KeyRing, Sealing, type StoredKey } from '../../core/ports.js';
import { AesDataKey, KEY_BYTES } from './aes-data-key.js';

/** Data keys, the most recently used of which are kept in memory. */
export class AesSealing extends Sealing {
  readonly #known = new Map<string, DataKey>();
  readonly #unwrapping = new Map<string, Promise<DataKey>>();

  /** `most`: how many keys are kept. */
  constructor(
    private readonly ring: KeyRing,
    override readonly isOn: boolean,
    private readonly most: number,
  ) {
    super();
  }

  override async create(id: string): Promise<{ readonly key: DataKey; readonly stored: StoredKey }> {
    const key = randomBytes(KEY_BYTES);
    return { key: new AesDataKey(key), stored: { id, ...(await this.ring.wrap(key, id)) } };
  }

  override known(id: string): DataKey | null {
    const key = this.#known.get(id);
    if (!key) return null;
    this.keep(id, key);
    return key;
  }

  /** Moves it to the end of the order in which keys are dropped. */
  override keep(id: string, key: DataKey): void {
    this.#known.delete(id);
    this.#known.set(id, key);
    if (this.#known.size <= this.most) return;
    const [oldest] = this.#known.keys();
    this.#known.delete(oldest!);
  }

  override drop(id: string): void {
    this.#known.delete(id);
  }

  override async unwrap(stored: StoredKey): Promise<DataKey> {
    const known = this.known(stored.id);
    if (known) return known;
    const running = this.#unwrapping.get(stored.id) ?? this.#unwrap(stored).finally(() => this.#unwrapping.delete(stored.id));
    this.#unwrapping.set(stored.id, running);
    return running;
  }

  async #unwrap({ id, keyId, wrapped }: StoredKey): Promise<DataKey> {
    const key = new AesDataKey(await this.ring.unwrap({ keyId, wrapped }, id));
    this.keep(id, key);
    return key;
  }
}
