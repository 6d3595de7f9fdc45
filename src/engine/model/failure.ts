import Anthropic from '@anthropic-ai/sdk';
import type { ModelMessage } from '../../../packages/protocol/message/message.js';
import { isRetryable, isRetryableWithin, typeOfStatus } from './error-types.js';
import { StreamFault } from './stream.js';
import { type ErrorDetails, ModelError } from '../../../packages/normalizer/models/model-answer.js';

/** What was received before a call failed. */
export interface Received {
  /** Whether the response had started. */
  readonly answered: boolean;
  readonly providerRequestId: string | null;
  readonly partial: ModelMessage | null;
}

/** Converts an error of the official client or of the stream. */
export function modelError(error: unknown, received: Received): ModelError {
  if (error instanceof StreamFault) return failed(error.code, error.message, isRetryableWithin(error.code), received);
  if (error instanceof Anthropic.APIConnectionTimeoutError) return failed('connection_error', 'The model API did not respond in time.', true, received);
  if (error instanceof Anthropic.APIConnectionError) {
    return failed('connection_error', `The model API could not be reached${networkCode(error)}.`, true, received);
  }
  if (error instanceof Anthropic.APIError) return apiError(error, received);
  if (received.answered) return failed('stream_cut', `The connection to the model API was lost during the response${networkCode(error)}.`, true, received);
  return failed('connection_error', 'The model API could not be called. Check ANTHROPIC_API_KEY and ANTHROPIC_BASE_URL.', false, received);
}

/** The caller aborted the call. */
export const aborted = (received: Received): ModelError => failed('aborted', 'The request was aborted.', false, received);

/** No data was received within the timeout. */
export const idleTimeout = (milliseconds: number, received: Received): ModelError =>
  received.answered
    ? failed('stream_cut', `The model API sent no data for ${milliseconds} ms during the response.`, true, received)
    : failed('connection_error', `The model API did not respond within ${milliseconds} ms.`, true, received);

const failed = (code: string, text: string, retryable: boolean, { providerRequestId, partial }: Received): ModelError =>
  new ModelError(code, text, null, retryable, null, providerRequestId, partial);

/** An error response (with status), or an `error` event in a stream (without). */
function apiError(error: InstanceType<typeof Anthropic.APIError>, { providerRequestId, partial }: Received): ModelError {
  const requestId = error.requestID ?? providerRequestId;
  const message = typeof error.apiMessage === 'string' ? error.apiMessage : null;
  const status: number | undefined = error.status;
  if (status === undefined) {
    const type = error.type ?? 'api_error';
    const text = message ?? 'The model API reported an error without a message.';
    return new ModelError(type, text, null, isRetryableWithin(type), null, requestId, partial, detailsOf(error));
  }
  const text = message ?? `The model API responded with status ${status} and no error message.`;
  const retryable = isRetryable(status, error.headers?.get('x-should-retry')) && !isSpent(error.errorCode);
  return new ModelError(error.type ?? typeOfStatus(status), text, status, retryable, retryAfter(error.headers), requestId, partial, detailsOf(error));
}

/** Money that is spent does not come back within the attempts of a turn. */
const isSpent = (code: string | null): boolean => code?.endsWith('_spend_limit_reached') ?? false;

function detailsOf({ errorCode, details }: InstanceType<typeof Anthropic.APIError>): ErrorDetails | null {
  if (errorCode === null) return null;
  const { paths } = (details ?? {}) as { readonly paths?: unknown };
  const named = Array.isArray(paths) ? paths.filter((path): path is string => typeof path === 'string') : [];
  return { errorCode, ...(named.length > 0 ? { paths: named } : {}) };
}

/** Delay in milliseconds from `retry-after-ms` or `retry-after` (seconds, or a date); null without such a header. */
export function retryAfter(headers: Headers | undefined, now: number = Date.now()): number | null {
  const milliseconds = numberOf(headers?.get('retry-after-ms'));
  if (milliseconds !== null) return Math.ceil(milliseconds);
  const text = headers?.get('retry-after');
  const seconds = numberOf(text);
  if (seconds !== null) return Math.ceil(seconds * 1000);
  const date = text ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

function numberOf(text: string | null | undefined): number | null {
  if (!text || text.trim() === '') return null;
  const value = Number(text);
  return Number.isFinite(value) && value >= 0 ? value : null;
}

/** The system error code, such as ECONNREFUSED. Error messages are omitted because they may contain content. */
function networkCode(error: unknown): string {
  let at = error;
  for (let depth = 0; typeof at === 'object' && at !== null && depth < 4; depth += 1) {
    const { code, cause } = at as { readonly code?: unknown; readonly cause?: unknown };
    if (typeof code === 'string') return ` (${code})`;
    at = cause;
  }
  return '';
}
