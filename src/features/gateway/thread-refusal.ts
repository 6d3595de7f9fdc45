import type { Response } from 'express';
import { requestIdOf } from '../../http/request-context.js';

/** What clients of message threads read, by the status and the code that the model API has for it. */
const REFUSALS = {
  thread_not_found: { status: 404, type: 'not_found_error' },
  thread_continue_in_flight: { status: 400, type: 'invalid_request_error' },
  thread_fingerprint_mismatch: { status: 400, type: 'invalid_request_error' },
  thread_unsupported_request: { status: 400, type: 'invalid_request_error' },
} as const;

/** A request of a message thread that cannot be continued. The official SDKs decide by the code what to do: mostly they send the whole conversation. */
export class ThreadRefusal extends Error {
  override readonly name = 'ThreadRefusal';

  constructor(
    readonly code: keyof typeof REFUSALS,
    message: string,
  ) {
    super(message);
  }

  send(response: Response): void {
    const { status, type } = REFUSALS[this.code];
    const details = { error_code: this.code, ...(this.code === 'thread_unsupported_request' ? { unsupported: [] } : {}) };
    const requestId = requestIdOf(response);
    response.setHeader('request-id', requestId);
    response.status(status).json({ type: 'error', error: { type, message: this.message, details }, request_id: requestId });
  }
}

/** The same for an id that never was, that is of another user, and whose conversation was erased. */
export const threadNotFound = (): ThreadRefusal =>
  new ThreadRefusal('thread_not_found', 'No answer with this id can be continued. Send the whole conversation with thread: {"type": "create"}.');
