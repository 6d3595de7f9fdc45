import type { Attachment } from '../../packages/protocol/message/attachment.js';
import type { Submission } from '../../packages/protocol/message/submission.js';
import type { SessionSettings } from '../../packages/protocol/events/settings.js';

/** The prompt for which attachments are gathered. */
export interface AttachmentRequest {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly submission: Submission;
  /** Where files and resources may be mentioned: the text of the prompt, or the arguments of a command and the text of its skill. */
  readonly text: string;
}

/** One source of attachments to a prompt. */
export abstract class AttachmentProvider {
  abstract readonly name: string;
  /** How long it may take, in milliseconds; absent: `ATTACHMENT_TIMEOUT_MS`. */
  readonly timeoutMs?: number;
  /** The attachments to add. A provider that fails or exceeds its timeout is skipped. */
  abstract gather(request: AttachmentRequest, signal: AbortSignal): Promise<readonly Attachment[]>;
}

/** The session whose next request needs the context that is in force. */
export interface StandingRequest {
  readonly tenantId: string;
  readonly sessionId: string;
  readonly settings: Pick<SessionSettings, 'permissionMode'>;
  /** Whether the session's folder has a file with this path, as the log has it. */
  readonly hasFile: (path: string) => boolean;
  /** Of the user who wrote the turn's prompt; null: unknown. */
  readonly timeZone: string | null;
  /** The user whose memory the model has in this turn; null: none. */
  readonly memoryOf: string | null;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** One source of context that every request of a session contains, such as the tenant's instructions. */
export abstract class StandingSource {
  /** Stored with each of its attachments; the last one with this name on the model's conversation is what the model was told. */
  abstract readonly name: string;
  /** Whether no request is sent while it cannot be read; the turn is then repeated. Otherwise it is skipped for this request. */
  readonly isRequired: boolean = false;
  /** What the model has to be told now; null: nothing, since `told` is still so. `told`: the last attachment of this source in the model's conversation. */
  abstract read(request: StandingRequest, told: Attachment | null, signal: AbortSignal): Promise<Attachment | null>;
}

/** All sources, in the order of their attachments. */
export abstract class AttachmentProviders {
  /** Of a prompt. */
  abstract readonly all: readonly AttachmentProvider[];
  /** Of every request. */
  abstract readonly standing: readonly StandingSource[];
}
