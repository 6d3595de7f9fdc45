import type { AttachmentMessage, StoredMessage } from '../message/message.js';

type Attachment = AttachmentMessage['attachment'];

/** The newest attachment of a kind that the model still knows of. */
export function lastAttachment(transcript: readonly StoredMessage[], fits: (attachment: Attachment) => boolean): Attachment | null {
  const found = transcript.findLast((message) => message.type === 'attachment' && fits(message.attachment));
  return found?.type === 'attachment' ? found.attachment : null;
}
