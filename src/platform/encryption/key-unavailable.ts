import { DomainError } from '../../../packages/protocol/errors.js';

/** The value of the header Retry-After: an operator has to do something first. */
const RETRY_AFTER_SECONDS = 30;

export function keyUnavailable(keyId: string, reason: string, cause?: unknown): DomainError {
  const error = new DomainError(
    'key_unavailable',
    `The content is encrypted, and the key ${keyId} ${reason}. Nothing is lost: the operator has to restore the key.`,
    [],
    {
      keyId,
      retryAfter: RETRY_AFTER_SECONDS,
    },
  );
  error.cause = cause;
  return error;
}
