import type { Principal } from '../../packages/protocol/access/principal.js';

/** How a user signed in: by a one-time link, or at the identity provider. */
export type SignInMethod = 'link' | 'oidc';

/** A signed-in browser. */
export interface SignInInfo {
  readonly id: string;
  readonly userId: string;
  readonly method: SignInMethod;
  /** What the browser called itself. */
  readonly userAgent: string | null;
  readonly createdAt: string;
  /** Written every few minutes at most. */
  readonly lastUsedAt: string;
  readonly expiresAt: string;
}

/** Of a new sign-in. */
export interface SignInTerms {
  readonly method: SignInMethod;
  readonly groups: readonly string[];
  readonly userAgent: string | null;
  readonly lifetimeMs: number;
}

/** Browsers that are signed in by a cookie. */
export abstract class SignIns {
  /** A code that signs the user in once within `lifetimeMs`; null: there is no such user, or the user is disabled. */
  abstract issueCode(user: Pick<Principal, 'tenantId' | 'userId'>, lifetimeMs: number): Promise<string | null>;
  /** The user of the code, which is used up; null: it is unknown, used or expired, or the user is disabled. */
  abstract redeemCode(code: string): Promise<Pick<Principal, 'tenantId' | 'userId'> | null>;
  /** `secret`: what the cookie holds; returned only here. */
  abstract begin(user: Pick<Principal, 'tenantId' | 'userId'>, terms: SignInTerms): Promise<{ readonly secret: string; readonly principal: Principal }>;
  /** Null when the sign-in is unknown, ended, expired or unused for `idleMs`, or the user is disabled; `refused` is told why. */
  abstract principal(secret: string, idleMs: number, refused: (reason: string) => void): Promise<Principal | null>;
  /** The sign-ins that are not over of a user, or (null) of the tenant, newest first; `cursor` is the id of the last one seen. */
  abstract list(tenantId: string, userId: string | null, limit: number, cursor: string | null): Promise<readonly SignInInfo[]>;
  /** Ends the sign-in of a cookie; returns its tenant, or null: there is none. */
  abstract endOf(secret: string): Promise<string | null>;
  /** Ends one sign-in of a user, or (null) of any user of the tenant. False: there is none. */
  abstract end(tenantId: string, userId: string | null, id: string): Promise<boolean>;
}
