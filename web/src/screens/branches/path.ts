import type { Event, Message } from '@verbatim/client';
import { isObject } from '../../../../packages/protocol/message/unknown-json.ts';
import { briefOf } from '../conversation/brief-call.ts';

/** A text, or the name of what is not read in a comparison, such as a tool call. */
export type Part = { readonly text: string } | { readonly name: string; readonly about: string };

export interface Step {
  readonly uuid: string;
  /** Such as `Prompt`, or `Result of Read`. */
  readonly by: string;
  readonly isPrompt: boolean;
  readonly parts: readonly Part[];
  readonly at: string;
}

export type Messages = ReadonlyMap<string, Message>;

/** The messages of a log by their uuid, without those whose content was erased. */
export function messagesIn(events: readonly Event[]): Messages {
  const messages = new Map<string, Message>();
  for (const event of events) if (event.type === 'message.appended' && !event.erased) messages.set(event.data.message.uuid, event.data.message as Message);
  return messages;
}

/** The messages from after `from` to `tip`, oldest first, as the log has them, on whatever branch. */
export function pathTo(messages: Messages, tip: string, from: string | null): readonly Step[] {
  const path: Message[] = [];
  for (let at: string | null = tip; at !== null && at !== from;) {
    const message: Message | undefined = messages.get(at);
    if (!message) break;
    path.unshift(message);
    at = message.parentUuid;
  }
  const tools = new Map<unknown, string>();
  return path.flatMap((message) => stepOf(message, tools) ?? []);
}

/** Its texts as one. */
export const textOf = ({ parts }: Step): string => parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('\n');

/** `tools`: the names of the calls before it, by their ids. */
function stepOf(message: Message, tools: Map<unknown, string>): Step | null {
  const { uuid, timestamp: at } = message;
  if (message.type === 'assistant') {
    for (const block of message.message.content) if (block.type === 'tool_use') tools.set(block.id, String(block.name));
    return { uuid, by: 'Answer', isPrompt: false, at, parts: partsOf(message.message.content) };
  }
  if (message.type !== 'user') return null;
  const blocks = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
  const results = blocks.filter(({ type }) => type === 'tool_result');
  if (results.length > 0) {
    const names = new Set(results.map((block) => tools.get((block as { readonly tool_use_id?: unknown }).tool_use_id) ?? 'a call'));
    return { uuid, by: `Result of ${[...names].join(', ')}`, isPrompt: false, at, parts: partsOf(blocks) };
  }
  return message.isMeta ? null : { uuid, by: 'Prompt', isPrompt: true, at, parts: partsOf(blocks) };
}

const NAMES: Readonly<Record<string, string>> = { thinking: 'Thinking', redacted_thinking: 'Thinking', image: 'Picture', document: 'Document' };

function partsOf(blocks: readonly unknown[]): readonly Part[] {
  return blocks.filter(isObject).flatMap((block): readonly Part[] => {
    const { type, text, content } = block;
    if (typeof text === 'string') return [{ text }];
    if (type === 'tool_use') return [{ name: String(block['name']), about: briefOf(block['input']) }];
    if (type === 'tool_result') return typeof content === 'string' ? [{ text: content }] : Array.isArray(content) ? partsOf(content) : [];
    const name = String(type);
    return [{ name: NAMES[name] ?? name.replaceAll('_', ' '), about: '' }];
  });
}
