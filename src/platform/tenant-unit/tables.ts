/** What a move does with a table of tenants. */
export interface TableRule {
  /** `copied`: its rows are in the export. `left`: they stay, for the reason given. */
  readonly move: 'copied' | { readonly left: string };
  /**
   * What happens to a change of a frozen tenant's row. `rejected`: with `tenant_moving`. Functions of all tenants change rows of many in one statement, which must not fail for all: `kept`, their rows stay as
   * they are, and a new one is rejected; `skipped`, a new one is not stored, either.
   */
  readonly frozen: 'rejected' | 'kept' | 'skipped' | 'allowed';
  /** Columns that are exported as another value, as SQL. */
  readonly as?: Readonly<Record<string, string>>;
  /** The order of the rows, where it is not that of the primary key, as SQL; `t` is the table. */
  readonly order?: string;
  /** Rows that are read at a time. */
  readonly page?: number;
}

const COPIED: TableRule = { move: 'copied', frozen: 'rejected' };
const SHARED: TableRule = { move: 'copied', frozen: 'kept' };

/** Every table with rows of tenants, in an order in which they can be restored. */
export const TENANT_TABLES: Readonly<Record<string, TableRule>> = {
  tenant: COPIED,
  tenant_handover: COPIED,
  app_user: COPIED,
  api_token: { ...COPIED, order: 't.created_at, t.parent_id NULLS FIRST, t.token_id' }, // a token after the one that made it
  tenant_setting: COPIED,
  tenant_setting_change: COPIED,
  data_key: SHARED, // rewrap_keys
  blob: { ...COPIED, page: 1 },
  blob_use: COPIED,
  stream: COPIED,
  event: COPIED,
  receipt: SHARED, // prune_receipts
  session: COPIED,
  legal_hold: COPIED,
  session_grant: COPIED,
  session_link: COPIED,
  session_pin: COPIED,
  erased_session: COPIED,
  session_retention: SHARED, // expired_sessions
  session_schedule: COPIED,
  user_erasure: COPIED,
  memory_change: COPIED,
  thread_answer: COPIED,
  usage: COPIED,
  usage_total: COPIED,
  session_summary: COPIED,
  search_text: COPIED,
  // lease_jobs and requeue_orphaned_turns. No process of the target has leased a job: it is due.
  outbox: { ...SHARED, frozen: 'skipped', as: { leased: 'false', place: 'NULL', fence: '0', holder: 'NULL', not_before: 'now()' } },
  sign_in: SHARED, // when it was last used, noted by reads
  sign_in_code: COPIED,
  stream_ticket: { move: { left: 'a client that wants a stream asks for another ticket' }, frozen: 'allowed' },
  log_archive: { move: { left: 'restore-sessions has brought the logs back before the export' }, frozen: 'rejected' },
  object_removal: { move: { left: 'the objects lie in the storage of the source' }, frozen: 'kept' }, // claim_removals
  tlog_run: { move: { left: 'the leaves of the source stay in its tree; the export has proofs of them' }, frozen: 'allowed' }, // what was appended before still becomes a leaf
};
