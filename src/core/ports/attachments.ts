import type { StoredMessage } from '../message/message.js';
import type { Attachment } from '../message/attachment.js';
import type { Submission } from '../message/submission.js';

/** The prompt for which attachments are gathered. */
export interface AttachmentRequest {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly submission: Submission;
  /** The model's conversation before this prompt. */
  readonly transcript: readonly StoredMessage[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** One source of attachments to a prompt. */
export abstract class AttachmentProvider {
  abstract readonly name: string;
  /** How long it may take, in milliseconds; absent: `ATTACHMENT_TIMEOUT_MS`. */
  readonly timeoutMs?: number;
  /** The attachments to add; empty when the conversation already has the current ones. A provider that fails or exceeds its timeout is skipped. */
  abstract gather(request: AttachmentRequest, signal: AbortSignal): Promise<readonly Attachment[]>;
}

/** All providers, in the order of their attachments. */
export abstract class AttachmentProviders {
  abstract readonly all: readonly AttachmentProvider[];
}
