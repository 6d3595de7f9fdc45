import type { ContentBlock } from '../protocol/message/content.js';
import { isObject, type UnknownObject } from '../protocol/message/unknown-json.js';
import { inputOf } from '../protocol/message/written-input.js';
import type { Note } from './plain-system.js';

/** The calls of an assistant message in the form of the Chat Completions API: `tool_calls`, with arguments as text. Null: they are not in that form. */
export function callsIn(toolCalls: unknown, note: Note): readonly ContentBlock[] | null {
  if (!Array.isArray(toolCalls)) return null;
  const calls = toolCalls.map((call: unknown, index): ContentBlock | null => {
    if (!isObject(call) || typeof call['id'] !== 'string' || !isObject(call['function'])) return null;
    const { name, arguments: text } = call['function'];
    if (typeof name !== 'string') return null;
    const input = argumentsIn(text);
    if (input === null) note(`/tool_calls/${index}/function/arguments`, 'is left out: it is not a JSON object');
    return { type: 'tool_use', id: call['id'], name, input: input ?? {} } as ContentBlock;
  });
  return calls.every((call) => call !== null) ? calls : null;
}

function argumentsIn(text: unknown): UnknownObject | null {
  if (typeof text !== 'string') return isObject(text) ? text : null;
  if (text.trim() === '') return {};
  try {
    const input = inputOf(text);
    return isObject(input) ? input : null;
  } catch {
    return null;
  }
}
