/**
 * What a failed database call means for its caller. `lost`: the connection broke, or there was none; nobody knows whether the statement took
 * effect. `slow`: it waited or ran too long and was undone. Null: an error of the statement itself.
 */
export type StoreErrorKind = 'lost' | 'slow' | null;

/** SQLSTATEs: server stopping or starting, a database closed to connections, too many of them, connection exceptions, a primary that has become a standby. */
const LOST_STATES = new Set(['57P01', '55000', '57P02', '57P03', '57P05', '53300', '08000', '08001', '08003', '08004', '08006', '25006', '25P03']);
/** SQLSTATEs: statement cancelled, lock not available. */
const SLOW_STATES = new Set(['57014', '55P03']);
/** Kinds into which Prisma's driver adapter puts failures of the socket. */
const LOST_KINDS = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections']);
const LOST_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'P1001',
  'P1002',
  'P1017',
  'P2037',
]);
/** The driver's own complaints carry no code. */
const LOST_SENTENCE = /connection terminated|connection ended|not queryable|connection error/i;
const NO_CONNECTION_FREE = /timeout exceeded when trying to connect/i;

interface DatabaseFailure {
  readonly message?: string;
  readonly code?: string;
  readonly meta?: { readonly driverAdapterError?: { readonly cause?: { readonly kind?: string; readonly originalCode?: string } } };
}

export function classifyError(error: unknown): StoreErrorKind {
  const { message = '', code = '', meta } = (error ?? {}) as DatabaseFailure;
  const { kind = '', originalCode = '' } = meta?.driverAdapterError?.cause ?? {};
  if (SLOW_STATES.has(originalCode) || NO_CONNECTION_FREE.test(message)) return 'slow';
  if (LOST_STATES.has(originalCode) || LOST_KINDS.has(kind) || LOST_CODES.has(code)) return 'lost';
  return code === '' && LOST_SENTENCE.test(message) ? 'lost' : null;
}
