import type { Principal } from '../../../../packages/protocol/access/principal.js';

/** How long a look-up of a credential is cached, in milliseconds: the time for which other processes may accept one that was revoked. */
const CACHE_MS = 1_000;

/** The maximum number of cached credentials. */
const MAX_CACHED = 10_000;

interface Cached {
  readonly at: number;
  readonly principal: Principal;
}

/** Principals by the hash of their credential. */
export class CredentialCache {
  readonly #cached = new Map<string, Cached>();
  #revocations = 0;

  /** The cached principal, or what `read` returns. `read` returns null for credentials that are not accepted; those are not cached. */
  async principal(hash: Buffer, read: () => Promise<Principal | null>): Promise<Principal | null> {
    const key = hash.toString('base64');
    const cached = this.#cached.get(key);
    if (cached && performance.now() - cached.at < CACHE_MS && !hasExpired(cached.principal)) return cached.principal;
    this.#cached.delete(key);
    const at = performance.now();
    const revocations = this.#revocations;
    const principal = await read();
    // What was read while a credential was being revoked may be the one.
    if (principal && revocations === this.#revocations) this.#remember(key, { at, principal });
    return principal;
  }

  /** Called after a revocation was committed: this process looks these credentials up again at once, the others after CACHE_MS. */
  forget(concerns: (principal: Principal) => boolean): void {
    this.#revocations += 1;
    for (const [key, { principal }] of this.#cached) if (concerns(principal)) this.#cached.delete(key);
  }

  #remember(key: string, entry: Cached): void {
    this.#cached.set(key, entry);
    const oldest = this.#cached.size > MAX_CACHED ? this.#cached.keys().next().value : undefined;
    if (oldest !== undefined) this.#cached.delete(oldest);
  }
}

function hasExpired({ expiresAt }: Principal): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= Date.now();
}
