import type { Content, Json } from '../../../packages/protocol/message/content.js';
import { type Draft, userMessage } from '../../../packages/protocol/message/draft.js';
import { isObject, type UnknownObject } from '../../../packages/protocol/message/unknown-json.js';
import { withStoredTexts } from '../../../packages/protocol/message/written-input.js';
import type { StoredMessage } from '../../../packages/protocol/message/message.js';

/** A message of a client's history as it is stored, files by reference. What has not the form of a message is kept as it is, and never sent by this server. */
export function draftOf(value: UnknownObject, uuid: string, timestamp: string): Draft {
  const { role, content } = value;
  if (role === 'user' && isContent(content)) return userMessage({ uuid, timestamp, content });
  if (role === 'assistant' && isContent(content)) {
    const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
    const message = { id: `msg_${uuid.replaceAll('-', '')}`, role: 'assistant' as const, model: '', content: blocks, stop_reason: null };
    return withStoredTexts({ type: 'assistant', uuid, timestamp, message, parentUuid: null } as StoredMessage) as Draft;
  }
  const told = role === 'system' && (typeof content === 'string' || (isContent(content) && content.length > 0));
  return {
    type: 'attachment',
    uuid,
    timestamp,
    attachment: { type: told ? 'system_message' : 'foreign_message', sent: value as Json },
    ...(told ? { rendered: [{ content: content as unknown as Json }], renderedRole: 'system' } : {}),
  };
}

const isContent = (content: unknown): content is Content => typeof content === 'string' || (Array.isArray(content) && content.every(isBlock));

const isBlock = (block: unknown): boolean => isObject(block) && typeof block['type'] === 'string' && (block['type'] !== 'tool_use' || isObject(block['input']));
