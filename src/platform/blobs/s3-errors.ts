import type { StorageFault } from './object-storage.js';

/* Errors of the AWS SDK, by their name and status: storages other than that of AWS have names of their own for some. */

interface S3Error {
  readonly name?: string;
  readonly code?: string;
  readonly message?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

const partsOf = (error: unknown) => {
  const { name = '', code = '', message = '', $metadata } = (typeof error === 'object' && error !== null ? error : {}) as S3Error;
  return { name, code, message, status: $metadata?.httpStatusCode ?? 0 };
};

export const isMissing = (error: unknown): boolean => partsOf(error).name === 'NoSuchKey';

/** The storage does not know the listing of versions: it has none. */
export function isWithoutVersions(error: unknown): boolean {
  const { name, status } = partsOf(error);
  return status === 501 || status === 405 || name === 'NotImplemented' || name === 'MethodNotAllowed';
}

const FULL = /Quota|InsufficientStorage|StorageFull|BucketTooLarge|TooManyBuckets/i;
const DENIED =
  /AccessDenied|Forbidden|InvalidAccessKeyId|SignatureDoesNotMatch|CredentialsProviderError|ExpiredToken|InvalidToken|AuthorizationHeaderMalformed/;
const CHANGED = /XAmzContentSHA256Mismatch|BadDigest|InvalidDigest|XAmzContentChecksumMismatch/;
const BUSY = /SlowDown|ServiceUnavailable|Throttl|TooManyRequests|RequestLimitExceeded/;
const UNREACHABLE =
  /\b(?:ECONN\w+|EPIPE|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ERR_TLS\w*|CERT_\w+|DEPTH_\w+|SELF_SIGNED\w+|UNABLE_TO_\w+|ERR_STREAM_PREMATURE_CLOSE)\b|socket hang up/;

export function faultOf(error: unknown): StorageFault {
  const { name, code, message, status } = partsOf(error);
  if (name === 'NoSuchBucket' || status === 301 || (status === 404 && name !== 'NoSuchKey')) return 'no_bucket';
  if (status === 507 || FULL.test(name)) return 'full';
  if (CHANGED.test(name)) return 'bytes_changed';
  if (DENIED.test(name) || status === 401 || status === 403) return 'denied';
  if (status === 429 || status === 503 || BUSY.test(name)) return 'busy';
  // The SDK wraps what comes of the socket, and then has the code in the message only.
  if (UNREACHABLE.test(code) || UNREACHABLE.test(message)) return 'unreachable';
  return /Timeout/.test(name) || code === 'ETIMEDOUT' ? 'timeout' : 'failed';
}
