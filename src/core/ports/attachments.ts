import type { StoredMessage } from '../message/message.js';
import type { Attachment } from '../message/attachment.js';
import type { Submission } from '../message/submission.js';

/** The prompt for which attachments are gathered. */
export interface AttachmentRequest {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly submission: Submission;
  /** What the model knows of the conversation before this prompt. */
  readonly transcript: readonly StoredMessage[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** One source of what the model should know beside the prompt. */
export abstract class AttachmentProvider {
  abstract readonly name: string;
  /** What to add now; mostly nothing, since what the model was told it still knows. One that fails or is late is left out, and the prompt goes on. */
  abstract gather(request: AttachmentRequest, signal: AbortSignal): Promise<readonly Attachment[]>;
}

/** All of them, in the order in which what they give is shown. */
export abstract class AttachmentProviders {
  abstract readonly all: readonly AttachmentProvider[];
}
