/** The authenticated caller of a request. An `admin` can access every session of the tenant, a `member` only their own. */
export interface Principal {
  readonly tenantId: string;
  readonly userId: string;
  readonly role: 'admin' | 'member';
  /** Absent for a signed (JWT) identity. */
  readonly tokenId?: string;
  /** When the caller's credentials expire, RFC 3339; absent: never. No token that the caller creates is valid for longer. */
  readonly expiresAt?: string;
}
