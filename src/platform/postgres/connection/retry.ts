import { setTimeout as pause } from 'node:timers/promises';
import { DomainError } from '../../../../packages/protocol/errors.js';
import { classifyError, stateOf } from './classify-error.js';

const FIRST_PAUSE_MS = 20;
const MAX_PAUSE_MS = 500;

/** The SQLSTATE of keep_frozen (prisma/functions). */
const FROZEN = 'VB007';

/** Seconds: a move takes minutes. */
const RETRY_AFTER_MOVE = 10;

/** The value of the header Retry-After. */
const RETRY_AFTER_SECONDS = 1;

/**
 * Runs work that may be repeated: after a lost connection, whether or not the statement took effect, and after a conflict it runs again, until
 * `timeoutMs` has passed. Throws a DomainError `unavailable` when the database does not come back or has no resources, and `tenant_moving` for a change of a frozen tenant; any other error passes through.
 */
export async function withRetry<Result>(timeoutMs: number, work: () => PromiseLike<Result>): Promise<Result> {
  const deadline = performance.now() + timeoutMs;
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, MAX_PAUSE_MS)) {
    try {
      return await work();
    } catch (error) {
      if (stateOf(error) === FROZEN) throw tenantMoving(error);
      const failure = classifyError(error);
      if (failure === null) throw error;
      if (failure === 'overloaded' || performance.now() + wait > deadline) throw unavailable(error);
      await pause(wait);
    }
  }
}

/** `cause` goes to the log, never to a client. */
export function unavailable(cause: unknown): DomainError {
  const error = new DomainError('unavailable', 'The database did not answer in time or is out of resources; retry later.', [], {
    retryAfter: RETRY_AFTER_SECONDS,
  });
  error.cause = cause;
  return error;
}

function tenantMoving(cause: unknown): DomainError {
  const error = new DomainError(
    'tenant_moving',
    'The tenant is being moved to another deployment: nothing of it can be changed here now. Retry later, or there.',
    [],
    {
      retryAfter: RETRY_AFTER_MOVE,
    },
  );
  error.cause = cause;
  return error;
}
