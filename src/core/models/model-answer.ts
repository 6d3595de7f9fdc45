import type { ModelMessage, Usage } from '../message/message.js';

export interface ModelAnswer {
  readonly message: ModelMessage;
  readonly usage: Usage;
  /** The provider's id for the request. */
  readonly providerRequestId: string | null;
}

/** The provider refused, failed, or the stream broke. What had arrived is in `partial`. */
export class ModelError extends Error {
  override readonly name = 'ModelError';

  constructor(
    /** The API's error type, such as `overloaded_error`; `connection_error` or `stream_cut` when no answer came to its end. */
    readonly code: string,
    message: string,
    readonly status: number | null,
    readonly retryable: boolean,
    readonly retryAfterMs: number | null = null,
    readonly providerRequestId: string | null = null,
    readonly partial: ModelMessage | null = null,
  ) {
    super(message);
  }
}
