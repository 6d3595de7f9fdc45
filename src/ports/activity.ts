/** Kinds of what is listed, by which a list can be limited. */
export const ACTIVITY_KINDS = ['erasures', 'holds', 'roles', 'links', 'emergency_access'] as const;
export type ActivityKind = (typeof ACTIVITY_KINDS)[number];

export const ACTS = [
  'session_erased',
  'messages_erased',
  'user_content_erased',
  'hold_placed',
  'hold_released',
  'role_given',
  'role_taken',
  'link_created',
  'link_revoked',
  'emergency_access',
] as const;

/** What was done to the sessions of a tenant, without any content of them. */
export interface ActivityEntry {
  readonly id: string;
  readonly at: string;
  /** Null: the server, or it is not known. */
  readonly by: string | null;
  readonly act: (typeof ACTS)[number];
  /** Null of what was done to all sessions of a user. */
  readonly sessionId: string | null;
  /** Whose content was erased; otherwise null. */
  readonly userId: string | null;
  /** Who was given a role, or lost it; null: it was something else, or a group and the session was erased since. */
  readonly principal: string | null;
  readonly role: string | null;
  /** Number of messages that were erased. */
  readonly messages: number | null;
  /** The end of an emergency access. */
  readonly until: string | null;
  /** The same for all steps of one erasure. */
  readonly erasureId: string | null;
}

export interface ActivityPage {
  readonly data: readonly ActivityEntry[];
  readonly nextCursor: string | null;
}

/** What was erased, held, shared and opened in the sessions of a tenant. */
export abstract class Activity {
  /** Newest first. `kind` null: all kinds. */
  abstract list(tenantId: string, kind: ActivityKind | null, limit: number, cursor: string | null): Promise<ActivityPage>;
}
