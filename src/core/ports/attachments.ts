import type { Json } from '../message/content.js';
import type { Submission } from '../intake/submission.js';
import type { SessionState } from '../session/state.js';

export interface Attachment {
  readonly type: string;
  readonly [key: string]: Json;
}

/** The prompt for which attachments are gathered. */
export interface AttachmentRequest {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly submission: Submission;
  /** Read it before the first await. */
  readonly state: SessionState;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** One source of what the model should know beside the prompt. */
export abstract class AttachmentProvider {
  abstract readonly name: string;
  abstract gather(request: AttachmentRequest, signal: AbortSignal): Promise<readonly Attachment[]>;
}
