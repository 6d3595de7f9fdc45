import type { Principal } from '../session/principal.js';

export interface TokenInfo {
  readonly id: string;
  readonly name: string | null;
  readonly userId: string;
  readonly role: 'admin' | 'member';
  readonly createdAt: string;
  readonly expiresAt: string | null;
}

export abstract class Accounts {
  /** Null when the token is unknown, revoked or expired. */
  abstract principal(token: string): Promise<Principal | null>;
  /** The identity asserted by a trusted issuer; tenant and user are created at first use. Names can be any text. */
  abstract vouched(tenant: string, user: string, role: 'admin' | 'member'): Promise<Principal>;
  abstract describe(principal: Principal): Promise<{ readonly tenantName: string; readonly userName: string }>;
  /** `userName`: another user of the tenant, created when unknown; absent: the caller. The token itself is returned only here. */
  abstract createToken(
    principal: Principal,
    token: { readonly name: string | null; readonly userName?: string; readonly role: 'admin' | 'member'; readonly expiresAt: string | null },
  ): Promise<TokenInfo & { readonly token: string }>;
  /** False when the caller has no access to a token with this id. */
  abstract revokeToken(principal: Principal, tokenId: string): Promise<boolean>;
  abstract createTenant(name: string, userName: string): Promise<{ readonly tenantId: string; readonly userId: string; readonly token: string }>;
  abstract tenants(): Promise<number>;
}
