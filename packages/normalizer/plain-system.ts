import type { ContentBlock } from '../protocol/message/content.js';
import { isObject, type UnknownObject } from '../protocol/message/unknown-json.js';

/** Records that something of a message is read in another way, or not at all. */
export type Note = (member: string, text: string) => void;

/** The text of a change of tools in the middle of a conversation (docs: Mid-conversation system messages): every tool is in the list of the request all the time. */
const CHANGES: Readonly<Record<string, (name: string) => string>> = {
  tool_addition: (name) => `The tool ${name} is available from here on.`,
  tool_removal: (name) => `The tool ${name} is not available any more: do not call it.`,
};

/**
 * What the model is told by a message of the role `system` in the middle of a conversation. Null: the content is invalid. `isCleared`: a later message of the user ended its effect.
 */
export function systemContent(
  { content, clear_at: clearAt, output_config: output }: UnknownObject,
  isCleared: boolean,
  note: Note,
): readonly ContentBlock[] | null {
  const blocks = content === undefined || content === null ? [] : typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  if (!Array.isArray(blocks)) return null;
  if (output !== undefined && output !== null) note('/output_config', 'is left out: the option `effort` applies to the whole request');
  if (clearAt === 'next_user_message' && isCleared) {
    note('/clear_at', 'the message is left out: a later message of the user has ended its effect');
    return [];
  }
  const read: ContentBlock[] = [];
  for (const [index, block] of (blocks as readonly unknown[]).entries()) {
    if (!isObject(block) || typeof block['type'] !== 'string') return null;
    const text = textOf(block);
    if (text === null) note(`/content/${index}`, 'is left out: a system message has text only');
    else read.push({ type: 'text', text });
    if (block['type'] !== 'text' && text !== null) note(`/content/${index}`, 'is sent as text: every tool is in the list of the request');
  }
  return read;
}

function textOf(block: UnknownObject): string | null {
  if (block['type'] === 'text') return typeof block['text'] === 'string' ? block['text'] : null;
  const change = Object.hasOwn(CHANGES, String(block['type'])) ? CHANGES[String(block['type'])] : undefined;
  const name = isObject(block['tool']) ? toolName(block['tool']) : null;
  return change === undefined || name === null ? null : change(name);
}

function toolName({ name, server_name: server, definition }: UnknownObject): string | null {
  const given = name ?? (isObject(definition) ? definition['name'] : undefined) ?? server;
  return typeof given === 'string' ? given : null;
}
