import fc from 'fast-check';
import type { UnknownObject } from '../../packages/protocol/message/unknown-json.js';

export const textIn = (text: string): UnknownObject => ({ type: 'text', text });

/** A conversation that the API accepts: each turn a prompt and an answer, some with calls and their results between them. */
export function conversationOf(turns: readonly number[]): readonly UnknownObject[] {
  const messages = turns.flatMap((calls, turn): readonly UnknownObject[] => {
    const ids = Array.from({ length: calls }, (_, call) => `t${turn}_${call}`);
    const called = [
      { role: 'assistant', content: ids.map((id) => ({ type: 'tool_use', id, name: 'Read', input: {} })) },
      { role: 'user', content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'done' })) },
    ];
    return [{ role: 'user', content: `prompt ${turn}.` }, ...(calls > 0 ? called : []), { role: 'assistant', content: [textIn(`answer ${turn}.`)] }];
  });
  return [...messages, { role: 'user', content: 'the last prompt.' }];
}

export const blocksIn = ({ content }: UnknownObject): readonly UnknownObject[] =>
  Array.isArray(content) ? (content as UnknownObject[]) : [textIn(String(content))];
const withBlocks = (message: UnknownObject, blocks: readonly UnknownObject[]): UnknownObject => ({ ...message, content: blocks });
const each = (message: UnknownObject, type: string, members: UnknownObject): UnknownObject =>
  withBlocks(
    message,
    blocksIn(message).map((block) => (block['type'] === type ? { ...block, ...members } : block)),
  );

/** What goes wrong with one message. Null: it is left out. */
const DAMAGES: readonly ((message: UnknownObject, index: number) => UnknownObject | null)[] = [
  (message) => (blocksIn(message).some(({ type }) => type === 'tool_result') ? null : message),
  (message) => withBlocks(message, blocksIn(message).slice(1).length > 0 ? blocksIn(message).slice(1) : blocksIn(message)),
  (message, index) =>
    message['role'] === 'user' ? withBlocks(message, [...blocksIn(message), { type: 'tool_result', tool_use_id: `lost${index}`, content: 'x' }]) : message,
  (message) => withBlocks(message, [textIn(''), ...blocksIn(message)]),
  (message) => each(message, 'tool_use', { id: 'same' }),
  (message) => each(message, 'tool_use', { input: [] }),
  (message) => each(message, 'tool_use', { index: 1 }),
  (message) => each(message, 'tool_use', { name: '' }),
  (message) => withBlocks(message, [...blocksIn(message), textIn('half \ud83d')]),
];

/** Conversations of which one or two messages were damaged. */
export const damaged = fc
  .tuple(fc.array(fc.nat(2), { minLength: 1, maxLength: 8 }), fc.array(fc.tuple(fc.nat(), fc.nat(DAMAGES.length - 1)), { minLength: 1, maxLength: 2 }))
  .map(([turns, damages]) => {
    let messages = conversationOf(turns);
    for (const [at, kind] of damages) {
      const index = at % messages.length;
      const after = DAMAGES[kind]!(messages[index]!, index);
      messages = after === null ? messages.toSpliced(index, 1) : messages.with(index, after);
    }
    return messages;
  });
