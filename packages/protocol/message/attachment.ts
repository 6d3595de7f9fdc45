import type { Json } from './content.js';

export interface Attachment {
  readonly type: string;
  readonly [key: string]: Json;
}

/** Type of what the operator of a session tells the model in the middle of it: sent in the role `system` to models that take it there, else as a reminder. */
export const SYSTEM_MESSAGE = 'system_message';

/** Uuid of the message that has said it first, of what a compaction has carried over; any other message is its own. */
export function saidFirstIn(message: { readonly uuid: string; readonly type: string; readonly attachment?: unknown }): string {
  const attachment = message.type === 'attachment' ? (message.attachment as Attachment) : null;
  return attachment?.type === SYSTEM_MESSAGE && typeof attachment['of'] === 'string' ? attachment['of'] : message.uuid;
}

/** Type of the attachment that tells readers that a source of attachments was skipped; never sent. */
export const OMITTED = 'attachments_omitted';
