/** Why the database cannot be used; each is for the operator, none is ever shown to a client. */
export type DatabaseErrorCode =
  | 'embedded_unsupported' // no server binaries for this machine, or no account to run them under
  | 'embedded_data_unreachable' // the data directory belongs to, or is closed to, the wrong account
  | 'embedded_not_started' // the server ended, or was not ready in time
  | 'database_unreachable' // no answer within the time given
  | 'database_refused' // the login, or any other answer but a connection
  | 'database_missing'
  | 'database_newer_than_build'
  | 'migration_edited'
  | 'migration_unfinished' // an earlier run of another tool left it half done
  | 'migration_failed'
  | 'app_role_missing'
  | 'app_role_not_permitted' // the owner may not create or change the role
  | 'app_role_taken' // another deployment on the same server manages the role
  | 'app_role_refused'; // its login

/** The database cannot be used. The message says what happened and what to do; a cause is kept for the log. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError';

  constructor(
    readonly code: DatabaseErrorCode,
    sentence: string,
    options?: { readonly cause?: unknown },
  ) {
    super(sentence, options);
  }
}

/** The `code` of an error from Postgres (SQLSTATE) or from Node (`ECONNREFUSED`, …), if it has one. */
export function errorCode(error: unknown): string | undefined {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** The sentence of anything thrown; a failed connection to a name with several addresses has only a list of causes. */
export function errorText(error: unknown): string {
  const { message, errors } = error as { readonly message?: string; readonly errors?: readonly Error[] };
  return message || errors?.map((cause) => cause.message).join('; ') || String(error);
}
