import type { Action, Scope } from './actions.js';
import type { TenantRole } from './roles.js';

/**
 * Credentials: who presented them, and what they are limited to. What they allow is decided by `may`, whether they still hold by `Credentials.ended`. Tokens, cookies, signed
 * tokens and stream tickets all become this one object; a ticket keeps it as it is, so that what is made with credentials ends with them.
 */
export interface Principal {
  readonly tenantId: string;
  readonly userId: string;
  /** `system`: the server itself, which carries out what was accepted before. No credentials have it. */
  readonly role: TenantRole | 'system';
  /** Groups of the user, by which sessions may be granted. */
  readonly groups: readonly string[];
  /** The scopes that the credentials are limited to; null: no limit. */
  readonly scopes: readonly Scope[] | null;
  /** The token that the caller presented; null: a signed identity, or a browser that is signed in. */
  readonly tokenId: string | null;
  /** The sign-in of the caller's browser; null: the caller presented no cookie. */
  readonly signInId: string | null;
  /** The link that the caller presented; it reads one conversation and nothing else. Null: a user. */
  readonly link: LinkAccess | null;
  /** When the caller's credentials expire, RFC 3339; absent: never. No token that the caller creates is valid for longer. */
  readonly expiresAt?: string;
}

export interface LinkAccess {
  readonly linkId: string;
  readonly sessionId: string;
  /** The last message that it shows; null: all of the current conversation. */
  readonly at: string | null;
}

/** A principal in one request: with the action that the route names, which is checked where the session is loaded. */
export interface AuthorizedCaller extends Principal {
  readonly action: Action;
  /** When the request was made, milliseconds since the epoch. */
  readonly now: number;
}

/** A user with a token without limits and without groups. */
export function principalOf(user: Pick<Principal, 'tenantId' | 'userId' | 'role'> & Partial<Principal>): Principal {
  return { groups: [], scopes: null, tokenId: null, signInId: null, link: null, ...user };
}

/** The credentials of a caller, without what is of one request. */
export function credentialsOf({ action: _, now: __, ...credentials }: Principal & Partial<AuthorizedCaller>): Principal {
  return credentials;
}

/** The same caller for another action. */
export function authorizedCaller(principal: Principal, action: Action, now: number): AuthorizedCaller {
  return { ...principal, action, now };
}

/** The server's own work in a tenant. `userId`: the user who requested it, or the worker. */
export function systemPrincipal(tenantId: string, userId: string): AuthorizedCaller {
  return authorizedCaller(principalOf({ tenantId, userId, role: 'system' }), 'session.read', 0);
}
