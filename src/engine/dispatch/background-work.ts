import type { Job } from '../../ports/index.js';

/** Work of a feature that no request waits for. The worker starts it in processes that run turns, and stops it when their turns have ended. */
export interface BackgroundWork {
  start?(): void;
  stop(): Promise<void>;
  /** Called when a turn of this process is over. Returns at once. */
  afterTurn?(job: Job['payload']): void;
}

/** Injection token of the background work of all features. */
export const BACKGROUND_WORK = Symbol('background work');
