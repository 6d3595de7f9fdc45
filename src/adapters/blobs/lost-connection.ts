/** SQLSTATEs: connection exceptions, a server that stops or starts, too many connections. */
const LOST_STATES = /^(?:08...|57P0[1235]|53300|25006|25P03)$/;
const LOST_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN']);
/** The driver's own complaints carry no code. */
const LOST_SENTENCE = /connection terminated|connection ended|not queryable|connection error/i;
/** SQLSTATEs: statement cancelled, lock not available; and no connection free in time. */
const SLOW_STATES = new Set(['57014', '55P03']);
const NO_CONNECTION_FREE = /timeout exceeded when trying to connect/i;

/** `lost`: nobody knows whether the statement took effect; `slow`: it did not; null: an error of the statement itself. */
export function classifyError(error: unknown): 'lost' | 'slow' | null {
  const { code = '', message = '' } = (error ?? {}) as { readonly code?: string; readonly message?: string };
  if (SLOW_STATES.has(code) || NO_CONNECTION_FREE.test(message)) return 'slow';
  if (LOST_STATES.test(code) || LOST_CODES.has(code)) return 'lost';
  return code === '' && LOST_SENTENCE.test(message) ? 'lost' : null;
}
