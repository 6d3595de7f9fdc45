import type { Json } from '../../packages/protocol/message/content.js';
import { type ModelAnswer } from '../../packages/normalizer/models/model-answer.js';

export interface ModelRequest {
  /** Whose request it is: a tenant may have a key of the model API. */
  readonly tenantId: string;
  /** The request body as UTF-8: the text that was hashed and recorded, encoded once. */
  readonly body: Uint8Array;
  /** The model that `body` names. */
  readonly model: string;
  readonly requestId: string;
  /** Counts the requests of a turn from 1. */
  readonly ordinal: number;
  /** Values of the `anthropic-beta` header. */
  readonly betas: readonly string[];
}

/** A piece of a streaming answer: the API's delta and the index of its block. */
export interface ModelDelta {
  readonly index: number;
  /** The block at its start; only with its first delta. */
  readonly start?: Json;
  readonly delta?: Json;
}

export abstract class Model {
  /** Streams one answer. Throws ModelError; when `signal` aborts, with code `aborted` and the partial answer. */
  abstract answer(request: ModelRequest, onDelta: (delta: ModelDelta) => void, signal: AbortSignal): Promise<ModelAnswer>;
  /** For logs and health checks. */
  abstract readonly provider: 'anthropic' | 'offline';
  /** Values of the `anthropic-beta` header that the deployment configured for every request. */
  readonly betas: readonly string[] = [];
}
