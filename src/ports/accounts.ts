import type { Scope } from '../../packages/protocol/access/actions.js';
import type { Principal } from '../../packages/protocol/access/principal.js';
import type { TenantRole } from '../../packages/protocol/access/roles.js';

export interface TokenInfo {
  readonly id: string;
  readonly name: string | null;
  readonly userId: string;
  /** Counts as far as the user has it. */
  readonly role: TenantRole;
  /** Null: everything that the role allows. */
  readonly scopes: readonly Scope[] | null;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  /** The token that created this one, and with which it is revoked; null: a signed identity, or the creation of the tenant. */
  readonly parentId: string | null;
}

export interface UserInfo {
  readonly id: string;
  /** Empty: the user is deleted. */
  readonly name: string;
  readonly role: TenantRole;
  readonly createdAt: string;
  /** Not null: none of the user's credentials is accepted. */
  readonly disabledAt: string | null;
  readonly deletedAt: string | null;
  /** Number of sessions, with archived ones. */
  readonly sessions: number;
  /** Last change of one of the sessions; null: there is none. */
  readonly lastActiveAt: string | null;
}

/** A token to create. `userName`: another user of the tenant, created with the role when unknown; absent: the caller. */
export interface NewToken {
  readonly name: string | null;
  readonly userName?: string;
  readonly role: TenantRole;
  readonly scopes: readonly Scope[] | null;
  readonly expiresAt: string | null;
}

/** The user that a trusted issuer names. */
export interface Identity {
  /** The name of the tenant. */
  readonly tenant: string;
  /** The name of the user. It finds the user once; issuer and subject do from then on. */
  readonly user: string;
  readonly issuer: string;
  readonly subject: string;
  /** Null: the user keeps the role they have, at first `member`. */
  readonly role: TenantRole | null;
  /** When the issuer said so, milliseconds since the epoch. */
  readonly issuedAt: number;
}

export abstract class Accounts {
  /** Null when the token is unknown, revoked or expired, or its user disabled; `refused` is told why. */
  abstract principal(token: string, refused?: (reason: string) => void): Promise<Principal | null>;
  /**
   * The user whom a trusted issuer names; tenant and user are created at first use. The user gets the role, unless it was set or said by the issuer later than this was issued: then
   * the caller has it as far as the user does. Null when the user is disabled, or a name is or looks like that of another one; `refused` is told so.
   */
  abstract vouched(identity: Identity, refused?: (reason: string) => void): Promise<Principal | null>;
  /** The id of the user of this name, whether or not there is one: it is derived from the name. */
  abstract userId(tenantId: string, name: string): string;
  abstract describe(principal: Principal): Promise<{ readonly tenantName: string; readonly userName: string }>;
  /**
   * The token itself is returned only here. It is never for more than the caller's role and scopes, and expires with the caller's credentials at the latest:
   * `expiresAt` null means then, or never; a later time is `invalid_input`.
   */
  abstract createToken(principal: Principal, token: NewToken): Promise<TokenInfo & { readonly token: string }>;
  /** The valid tokens that the caller may revoke: an admin's those of the tenant, a member's their own. Newest first; `cursor` is the id of the last one seen. */
  abstract tokens(principal: Principal, limit: number, cursor: string | null): Promise<readonly TokenInfo[]>;
  /** Revokes the token and every token created with it. False when the caller has no access to a token with this id. */
  abstract revokeToken(principal: Principal, tokenId: string): Promise<boolean>;
  /** A secret that stands for the caller once, for the event stream of one session or (null) of all of the caller's sessions, for `lifetimeMs` and never beyond the caller's credentials. */
  abstract createStreamTicket(
    principal: Principal,
    sessionId: string | null,
    lifetimeMs: number,
  ): Promise<{ readonly ticket: string; readonly expiresAt: string }>;
  /** The caller who created the ticket; null when it is unknown, used, expired, or for another stream. A ticket of this stream is used up. */
  abstract redeemStreamTicket(ticket: string, sessionId: string | null): Promise<Principal | null>;
  /** The names of users of the tenant, by id; unknown ids are left out. */
  abstract names(tenantId: string, userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The users of the tenant by id; `cursor`: the id of the last one seen. */
  abstract users(tenantId: string, limit: number, cursor: string | null): Promise<readonly UserInfo[]>;
  abstract createTenant(name: string, userName: string): Promise<{ readonly tenantId: string; readonly userId: string; readonly token: string }>;
  abstract tenants(): Promise<number>;
  /** Rejects when the database does not answer. */
  abstract ping(): Promise<void>;
}
