import type { Content, Json } from '../../../packages/protocol/message/content.js';
import type { AttachmentMessage } from '../../../packages/protocol/message/message.js';
import { blobsIn } from '../../../packages/normalizer/embedded-messages.js';
import { loose } from '../../../packages/protocol/message/unknown-json.js';

const place = { uuid: '', parentUuid: null, timestamp: '' };

/** Whether a line references an image or a document by hash. The bytes are not in the file. */
export function hasBlobReference(line: unknown): boolean {
  const { content, message, attachment, rendered } = loose(line);
  const contents = [content, loose(message)['content']].filter(Array.isArray) as Content[];
  return (
    contents.some((one) => blobsIn({ type: 'user', ...place, content: one }).length > 0) ||
    blobsIn({ type: 'attachment', ...place, attachment: loose(attachment) as AttachmentMessage['attachment'], rendered: (rendered ?? null) as Json }).length > 0
  );
}
