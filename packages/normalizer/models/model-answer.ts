import type { ModelMessage, Usage } from '../../protocol/message/message.js';

export interface ModelAnswer {
  readonly message: ModelMessage;
  readonly usage: Usage;
  /** The provider's request id. */
  readonly providerRequestId: string | null;
}

/** What the API says about an error for programs (docs: Errors). */
export interface ErrorDetails {
  /** `error.details.error_code`: names the cause; the message may change, the code does not. */
  readonly errorCode: string;
  /** Positions in the request that the error is about, such as `messages.0.content.1`. */
  readonly paths?: readonly string[];
}

/** An error response, an unreachable provider, or an incomplete stream. `partial` holds the content received before the error. */
export class ModelError extends Error {
  override readonly name = 'ModelError';

  constructor(
    /** The API's error type, such as `overloaded_error`; `connection_error` when there was no response, `stream_cut` when it was incomplete. */
    readonly code: string,
    message: string,
    readonly status: number | null,
    readonly retryable: boolean,
    readonly retryAfterMs: number | null = null,
    readonly providerRequestId: string | null = null,
    readonly partial: ModelMessage | null = null,
    /** Null: the error has no code. */
    readonly details: ErrorDetails | null = null,
  ) {
    super(message);
  }
}
