import { SYSTEM_MESSAGE } from '../../../packages/protocol/message/attachment.js';
import type { Content, ContentBlock, Json } from '../../../packages/protocol/message/content.js';
import { type Draft, userMessage } from '../../../packages/protocol/message/draft.js';
import { isObject, type UnknownObject } from '../../../packages/protocol/message/unknown-json.js';
import { withStoredTexts } from '../../../packages/protocol/message/written-input.js';
import type { StoredMessage } from '../../../packages/protocol/message/message.js';

/**
 * A message of a client's history as it is stored, files by reference. Where it has not the form of a message, it is kept as the client wrote it, too, and this server sends only those of its blocks that
 * are blocks.
 */
export function draftOf(value: UnknownObject, uuid: string, timestamp: string): Draft {
  const { role, content } = value;
  const blocks = readable(content);
  const isWhole =
    typeof content === 'string' || (Array.isArray(content) && content.length === blocks.length && blocks.every((block, at) => block === content[at]));
  if (role === 'user' && isWhole) return userMessage({ uuid, timestamp, content: content as Content });
  if (role === 'assistant' && (isWhole || blocks.length > 0)) {
    const as = { id: `msg_${uuid.replaceAll('-', '')}`, role: 'assistant' as const, model: '', content: blocks, stop_reason: null };
    const message = isWhole ? as : { ...as, [SENT]: value as Json };
    return withStoredTexts({ type: 'assistant', uuid, timestamp, message, parentUuid: null } as StoredMessage) as Draft;
  }
  const isSystem = role === 'system' && blocks.length > 0;
  const told = isSystem ? blocks : role === 'user' ? blocks.filter(({ type }) => type === 'text' || type === 'image') : [];
  return {
    type: 'attachment',
    uuid,
    timestamp,
    attachment: { type: isSystem ? SYSTEM_MESSAGE : 'foreign_message', [SENT]: value as Json },
    ...(told.length > 0 ? { rendered: [{ content: (typeof content === 'string' ? content : told) as Json }] } : {}),
    ...(isSystem ? { renderedRole: 'system' } : {}),
  };
}

/** The member of a stored message with what the client wrote, where that is something else. */
export const SENT = 'sent';

function readable(content: unknown): readonly ContentBlock[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.filter(isBlock).map(withInput) : [];
}

const isBlock = (block: unknown): block is ContentBlock => isObject(block) && typeof block['type'] === 'string';

/** Without its call, the result would have none. */
const withInput = (block: ContentBlock): ContentBlock => (block.type === 'tool_use' && !isObject(block.input) ? { ...block, input: {} } : block);
