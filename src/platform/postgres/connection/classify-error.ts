/**
 * What a failed database call means for its caller.
 *
 * - `lost`: there is no connection, or it broke: the statement may or may not have taken effect.
 * - `conflict`: the transaction was rolled back because of a concurrent one (serialization failure, deadlock); a retry is expected to succeed.
 * - `overloaded`: the statement was rolled back, or never ran, because the server or the pool was out of a resource: time, connections, disk, memory.
 * - null: an error of the statement itself.
 */
export type DatabaseFailure = 'lost' | 'conflict' | 'overloaded' | null;

/**
 * By SQLSTATE (PostgreSQL manual, appendix A). 08: connection exceptions. 57P01/02/03/05: the server stops or starts, or ended an idle session.
 * 25006: the primary has become a standby. 25P03: idle-in-transaction timeout. 53300: no connection slot is free. 55000: the database does not accept
 * connections.
 */
const LOST_STATE = /^(?:08(?!P01)...|57P0[1235]|25006|25P03|53300|55000)$/;
/** 40001: serialization failure. 40P01: deadlock. */
const CONFLICT_STATE = /^(?:40001|40P01)$/;
/** 53: insufficient resources, such as a full disk or no memory. 57014: canceled by statement_timeout. 55P03: lock_timeout. 58000, 58030: system and I/O errors. */
const OVERLOADED_STATE = /^(?:53(?!300)...|57014|55P03|58000|58030)$/;

/** Codes of Node's sockets and of Prisma's client. P1001, P1002, P1017, P2037: unreachable, closed or full. P2024: the pool has no connection free. */
const LOST_CODE = /^(?:ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|P1001|P1002|P1017|P2037)$/;
const OVERLOADED_CODE = 'P2024';

/** Kinds that Prisma's driver adapter gives to errors without a SQLSTATE, or in place of one. */
const LOST_KIND = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections']);
const CONFLICT_KIND = new Set(['TransactionWriteConflict']);

/** Errors that the driver reports without a code. */
const LOST_MESSAGE = /connection terminated|connection ended|not queryable|connection error|query read timeout/i;
const OVERLOADED_MESSAGE = /timeout exceeded when trying to connect/i;

interface Failure {
  readonly message?: string;
  readonly code?: string;
  readonly meta?: { readonly driverAdapterError?: { readonly cause?: { readonly kind?: string; readonly originalCode?: string } } };
}

/** The SQLSTATE of what `pg` or Prisma's client has thrown, or the code of a socket or of Prisma; empty: none. */
export function stateOf(error: unknown): string {
  const { code = '', meta } = (error ?? {}) as Failure;
  return meta?.driverAdapterError?.cause?.originalCode || code;
}

/** Classifies what `pg` or Prisma's client has thrown. */
export function classifyError(error: unknown): DatabaseFailure {
  const { message = '', code = '', meta } = (error ?? {}) as Failure;
  const { kind = '' } = meta?.driverAdapterError?.cause ?? {};
  const state = stateOf(error);
  if (OVERLOADED_STATE.test(state) || code === OVERLOADED_CODE || OVERLOADED_MESSAGE.test(message)) return 'overloaded';
  if (CONFLICT_STATE.test(state) || CONFLICT_KIND.has(kind)) return 'conflict';
  if (LOST_STATE.test(state) || LOST_CODE.test(code) || LOST_KIND.has(kind)) return 'lost';
  return (code === '' || kind !== '') && LOST_MESSAGE.test(message) ? 'lost' : null;
}
