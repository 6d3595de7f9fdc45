import type { Principal } from '../access/principal.js';

/** Whether what a request was authenticated with still holds. */
export abstract class Credentials {
  /** The callers with a token that is revoked or expired, or a user who is disabled. */
  abstract ended<Caller extends Principal>(tenantId: string, callers: readonly Caller[]): Promise<ReadonlySet<Caller>>;
}
