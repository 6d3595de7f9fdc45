export interface LinkInfo {
  readonly id: string;
  /** The last message that it shows; null: all of the current conversation. */
  readonly at: string | null;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  /** Requests that it was used for. */
  readonly uses: number;
}

/** Secrets that read one conversation, up to a message. */
export abstract class Links {
  /** The secret itself is returned only here. Null: the session has `limit` valid links. */
  abstract create(
    link: { readonly tenantId: string; readonly sessionId: string; readonly at: string | null; readonly createdBy: string; readonly expiresAt: string },
    limit: number,
  ): Promise<(LinkInfo & { readonly secret: string }) | null>;
  /** The valid links of a session, newest first. */
  abstract list(tenantId: string, sessionId: string): Promise<readonly LinkInfo[]>;
  /** False when the session has no such valid link. */
  abstract revoke(tenantId: string, sessionId: string, linkId: string, by: string): Promise<boolean>;
  /** What the secret shows; counts the use. Null: it is unknown, revoked or expired. */
  abstract redeem(
    secret: string,
  ): Promise<{ readonly tenantId: string; readonly linkId: string; readonly sessionId: string; readonly at: string | null } | null>;
}
