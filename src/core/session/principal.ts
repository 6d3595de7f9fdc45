/** The caller behind a request. An `admin` sees every session of the tenant, a `member` the own ones. */
export interface Principal {
  readonly tenantId: string;
  readonly userId: string;
  readonly role: 'admin' | 'member';
  /** Absent for a signed (JWT) identity. */
  readonly tokenId?: string;
}
