import type { Json } from '../message/content.js';
import { type ModelAnswer } from '../models/model-answer.js';

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

export abstract class Model {
  /** Streams one answer. Throws ModelError; when `signal` aborts, a ModelError of code `aborted` with what had arrived. */
  abstract answer(request: ModelRequest, onDelta: (delta: ModelDelta) => void, signal: AbortSignal): Promise<ModelAnswer>;
  /** What answers, for logs and health: `anthropic` or `offline`. */
  abstract readonly provider: 'anthropic' | 'offline';
}
