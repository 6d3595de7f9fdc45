import type { Json } from '../message/content.js';

/** An event with erased content, and what is left of its data: ids, kinds, numbers and times, never content. */
export interface ErasedEvent {
  readonly seq: number;
  readonly data: Json;
}

/** Data of `content.erased`. It has no content either, so it is never erased itself. */
export interface ContentErased {
  /** The same for all steps of an erasure. */
  readonly erasureId: string;
  readonly scope: 'session' | 'message';
  /** Uuids of the erased messages, for that scope: first the one that was named, then those that were made with it. */
  readonly messages?: readonly string[];
  readonly reason: string | null;
  readonly events: readonly ErasedEvent[];
  /** Size of the data that this step erased, without files. */
  readonly bytes: number;
  /** Files that this step took from the session. */
  readonly blobs: number;
  /** The title of the session was made from erased content. */
  readonly untitled?: true;
  /** False: more steps follow. */
  readonly isComplete: boolean;
}
