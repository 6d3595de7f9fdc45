import type { ImageBox } from '../media/image-size.js';
import type { StoredImage } from './images.js';
import type { Principal } from '../session/principal.js';

/** A question whose answer takes so long to work out that nobody else may have to wait meanwhile. Plain data, `body` being a request's as it came. */
export type ComputeTask =
  | { readonly kind: 'normalize'; readonly body: Uint8Array }
  | { readonly kind: 'payload'; readonly principal: Principal; readonly sessionId: string; readonly input: { readonly model?: string; readonly at?: number } }
  | { readonly kind: 'request'; readonly principal: Principal; readonly sessionId: string; readonly requestId: string }
  | { readonly kind: 'synthetic'; readonly principal: Principal; readonly sessionId: string; readonly requestId: string }
  | { readonly kind: 'fit'; readonly image: StoredImage; readonly box: ImageBox };

export interface ComputeResult {
  /** The answer as JSON, in UTF-8. */
  readonly json: Uint8Array;
  /** The `version` in it; null when it has none. */
  readonly version: number | null;
}

/**
 * Works such questions out elsewhere. Refuses what the question itself is refused with; with `unavailable` when too many wait or it takes too long, with
 * `payload_too_large` when it needs too much memory: neither harms anything but that one answer.
 */
export abstract class ComputePool {
  abstract run(task: ComputeTask): Promise<ComputeResult>;
}
