/** Why a tenant was not frozen, exported or restored. Public and stable. */
export type UnitErrorCode =
  | 'tenant_missing'
  | 'tenant_not_frozen'
  | 'tenant_exists'
  | 'tables_busy'
  | 'leaves_missing'
  | 'file_missing'
  | 'logs_archived'
  | 'other_schema'
  | 'bad_line'
  | 'bad_note'
  | 'key_unavailable';

/** For the operator: what is wrong, and what to do. */
export class UnitError extends Error {
  override readonly name = 'UnitError';

  constructor(
    readonly code: UnitErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(`${message} (${code})`, options);
  }
}
