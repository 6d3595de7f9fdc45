import Anthropic from '@anthropic-ai/sdk';
import type { ModelMessage } from '../../core/message/message.js';
import { isRetryable, isRetryableWithin, typeOfStatus } from './error-types.js';
import { StreamFault } from './stream.js';
import { ModelError } from '../../core/models/model-answer.js';

/** What a failed call leaves behind. */
export interface Remains {
  /** Whether the provider had begun to answer. */
  readonly answered: boolean;
  readonly providerRequestId: string | null;
  readonly partial: ModelMessage | null;
}

/** What the official client or the stream threw, in the words of the port. */
export function modelError(error: unknown, remains: Remains): ModelError {
  if (error instanceof StreamFault) return failed(error.code, error.message, isRetryableWithin(error.code), remains);
  if (error instanceof Anthropic.APIConnectionTimeoutError) return failed('connection_error', 'The model API did not answer in time.', true, remains);
  if (error instanceof Anthropic.APIConnectionError) {
    return failed('connection_error', `The model API could not be reached${networkCode(error)}.`, true, remains);
  }
  if (error instanceof Anthropic.APIError) return refusal(error, remains);
  if (remains.answered) return failed('stream_cut', `The model's answer broke off${networkCode(error)}.`, true, remains);
  return failed('connection_error', 'The model API could not be called. Check ANTHROPIC_API_KEY and ANTHROPIC_BASE_URL.', false, remains);
}

/** The caller's signal was raised. */
export const aborted = (remains: Remains): ModelError => failed('aborted', 'The request was stopped.', false, remains);

/** Nothing came for longer than allowed. */
export const silent = (milliseconds: number, remains: Remains): ModelError =>
  remains.answered
    ? failed('stream_cut', `The model's answer broke off: nothing came for ${milliseconds} ms.`, true, remains)
    : failed('connection_error', `The model API did not answer within ${milliseconds} ms.`, true, remains);

const failed = (code: string, text: string, retryable: boolean, { providerRequestId, partial }: Remains): ModelError =>
  new ModelError(code, text, null, retryable, null, providerRequestId, partial);

/** An error answer (it has a status), or an `error` event within a stream (it has none). */
function refusal(error: InstanceType<typeof Anthropic.APIError>, { providerRequestId, partial }: Remains): ModelError {
  const requestId = error.requestID ?? providerRequestId;
  const said = typeof error.apiMessage === 'string' ? error.apiMessage : null;
  const status: number | undefined = error.status;
  if (status === undefined) {
    const type = error.type ?? 'api_error';
    return new ModelError(type, said ?? 'The model API broke the answer off.', null, isRetryableWithin(type), null, requestId, partial);
  }
  const text = said ?? `The model API answered ${status} without saying why.`;
  const retryable = isRetryable(status, error.headers?.get('x-should-retry'));
  return new ModelError(error.type ?? typeOfStatus(status), text, status, retryable, retryAfter(error.headers), requestId, partial);
}

/** Milliseconds until the provider wants to be asked again, from `retry-after-ms` or `retry-after` (seconds, or a date); null when it did not say. */
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

/** The network's own code, such as ECONNREFUSED: never a sentence, which could hold content. */
function networkCode(error: unknown): string {
  let at = error;
  for (let depth = 0; typeof at === 'object' && at !== null && depth < 4; depth += 1) {
    const { code, cause } = at as { readonly code?: unknown; readonly cause?: unknown };
    if (typeof code === 'string') return ` (${code})`;
    at = cause;
  }
  return '';
}
