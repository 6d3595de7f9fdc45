import type { Content } from '../message/content.js';
import type { AttachmentMessage } from '../message/message.js';
import { blobsIn } from '../normalize/embedded-messages.js';
import { isObject, loose } from '../message/unknown-json.js';

const place = { uuid: '', parentUuid: null, timestamp: '' };

/** Whether a line references an image or a document by hash. The bytes are not in the file. */
export function hasBlobReference(line: unknown): boolean {
  const { content, message, attachment } = loose(line);
  const contents = [content, loose(message)['content']].filter(Array.isArray) as Content[];
  return (
    contents.some((one) => blobsIn({ type: 'user', ...place, content: one }).length > 0) ||
    (isObject(attachment) && blobsIn({ type: 'attachment', ...place, attachment: attachment as AttachmentMessage['attachment'] }).length > 0)
  );
}
