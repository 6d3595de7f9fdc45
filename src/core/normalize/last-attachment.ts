import type { AttachmentMessage, StoredMessage } from '../message/message.js';

type Attachment = AttachmentMessage['attachment'];

/** The newest attachment among the context entries that satisfies the condition. */
export function lastAttachment(entries: readonly StoredMessage[], matches: (attachment: Attachment) => boolean): Attachment | null {
  const found = entries.findLast((message) => message.type === 'attachment' && matches(message.attachment));
  return found?.type === 'attachment' ? found.attachment : null;
}
