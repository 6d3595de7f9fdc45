import type { Json } from '../message/content.js';
import type { ModelMessage, Usage } from '../message/message.js';

export interface ModelRequest {
  /** The request body, serialised once. These very bytes are hashed, recorded and sent. */
  readonly body: string;
  /** The model that `body` names. */
  readonly model: string;
  readonly requestId: string;
  /** Counts the requests of a turn from 1. */
  readonly ordinal: number;
}

/** A piece of the answer while it streams: the API's own delta, and the block it belongs to. */
export interface ModelDelta {
  readonly index: number;
  /** The block's first form; only with the block's first delta. */
  readonly start?: Json;
  readonly delta?: Json;
}

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

export abstract class Model {
  /** Streams one answer. Throws ModelError; when `signal` aborts, a ModelError of code `aborted` with what had arrived. */
  abstract answer(request: ModelRequest, onDelta: (delta: ModelDelta) => void, signal: AbortSignal): Promise<ModelAnswer>;
  /** What answers, for logs and health: `anthropic` or `offline`. */
  abstract readonly provider: 'anthropic' | 'offline';
}
