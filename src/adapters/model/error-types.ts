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

/** The type to assume when an answer does not name one, as behind a proxy. */
export const typeOfStatus = (status: number): string => TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');

/** Whether asking again may help. The official client's own rule: what the server says (`x-should-retry`) first, then the status. */
export function isRetryable(status: number, said?: string | null): boolean {
  if (said === 'true' || said === 'false') return said === 'true';
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

/** Types of `error` events within a stream after which asking again may help; `stream_cut` is ours, for a stream without an end. */
const PASSING: ReadonlySet<string> = new Set(['overloaded_error', 'api_error', 'rate_limit_error', 'timeout_error', 'stream_cut']);

export const isRetryableWithin = (type: string): boolean => PASSING.has(type);
