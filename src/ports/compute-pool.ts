import type { ImageBox } from '../../packages/normalizer/media/image-size.js';
import type { StoredImage } from './images.js';
import type { AuthorizedCaller } from '../../packages/protocol/access/principal.js';

/** A CPU-bound task that must not block the event loop. Plain data; `body`: the raw body of a request, or JSON. */
export type ComputeTask =
  | { readonly kind: 'normalize' | 'repair'; readonly body: Uint8Array }
  | {
      readonly kind: 'payload';
      readonly principal: AuthorizedCaller;
      readonly sessionId: string;
      readonly input: { readonly model?: string; readonly at?: number; readonly fresh?: boolean };
    }
  | { readonly kind: 'request'; readonly principal: AuthorizedCaller; readonly sessionId: string; readonly requestId: string }
  | { readonly kind: 'synthetic'; readonly principal: AuthorizedCaller; readonly sessionId: string; readonly requestId: string }
  | { readonly kind: 'audit'; readonly principal: AuthorizedCaller; readonly sessionId: string; readonly newestRequests: number }
  | { readonly kind: 'fit'; readonly image: StoredImage; readonly box: ImageBox };

export interface ComputeResult {
  /** The result as JSON in UTF-8. */
  readonly json: Uint8Array;
  /** Its member `version`; null when it has none. */
  readonly version: number | null;
}

/**
 * Runs tasks in other processes. Rejects with the task's own rejection; with `unavailable` when the queue is full or the task exceeds its time limit; with
 * `payload_too_large` when it exceeds its memory limit. A failed task does not affect others.
 */
export abstract class ComputePool {
  abstract run(task: ComputeTask): Promise<ComputeResult>;
  /** Content of the session was erased: the processes keep nothing of it. */
  abstract forget(tenantId: string, sessionId: string): void;
}
