/** The API's error type for each HTTP status (docs: Errors). */
const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** The error type for a response without one, such as a proxy's. */
export const typeOfStatus = (status: number): string => TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');

/** Whether a retry may succeed. The official client's rule: the `x-should-retry` header, then the status. */
export function isRetryable(status: number, header?: string | null): boolean {
  if (header === 'true' || header === 'false') return header === 'true';
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

/** Types of `error` events in a stream that are retryable. `stream_cut` is our own type, for an incomplete stream. */
const TRANSIENT: ReadonlySet<string> = new Set(['overloaded_error', 'api_error', 'rate_limit_error', 'timeout_error', 'stream_cut']);

export const isRetryableWithin = (type: string): boolean => TRANSIENT.has(type);
