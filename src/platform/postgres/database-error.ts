/** Why the database cannot be used. For the operator, never sent to a client. */
export type DatabaseErrorCode =
  | 'embedded_unsupported' // no server binaries for this machine, or no account to run them under
  | 'embedded_missing' // the server binaries for this machine are not installed
  | 'embedded_data_unreachable' // the server's account cannot access the data directory
  | 'embedded_not_started' // the server exited, or was not ready in time
  | 'database_unreachable' // no answer in time
  | 'database_silent' // connected, but a statement was not answered in time
  | 'database_refused' // the server rejected the connection, for example the login
  | 'database_missing'
  | 'database_pooled' // its connections share sessions
  | 'database_newer_than_build'
  | 'database_undistributable' // over nodes
  | 'database_partly_distributed'
  | 'database_distributed' // and a setting, or a pooler before a node, asks for what does not work on one
  | 'standby_foreign' // not of this database
  | 'migration_edited'
  | 'migration_malformed' // an online one that cannot be cut into statements
  | 'migration_unfinished' // started by another tool, which did not finish it
  | 'migration_failed'
  | 'app_role_missing'
  | 'app_role_not_permitted' // the owner is not permitted to create or change the role
  | 'app_role_taken' // managed by another deployment on the same server
  | 'app_role_exempt' // row level security does not apply to it
  | 'app_role_refused'; // the server rejects its login

/** The database cannot be used. The message says what happened and what to do. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';

  constructor(
    readonly code: DatabaseErrorCode,
    message: string,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
  }
}

/** The `code` of an error: a SQLSTATE, a code of Node (`ECONNREFUSED`, …) or a DatabaseErrorCode. */
export function errorCode(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** The message of an error. A failed connection to a host with several addresses has no message, only a list of causes. */
export function errorText(error: unknown): string {
  const { message, errors } = error as { readonly message?: string; readonly errors?: readonly Error[] };
  return message || errors?.map((cause) => cause.message).join('; ') || String(error);
}
