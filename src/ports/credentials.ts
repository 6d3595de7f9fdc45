import type { Principal } from '../../packages/protocol/access/principal.js';

/** Whether what a request was authenticated with still holds. */
export abstract class Credentials {
  /**
   * The callers whose credentials do not hold any more: they, or the token or sign-in that they stand for, expired, were revoked or not used for too long; the user is disabled,
   * or has lost the role that the caller has.
   */
  abstract ended<Caller extends Principal>(tenantId: string, callers: readonly Caller[]): Promise<ReadonlySet<Caller>>;
}
