import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.js';
import { keyOf, readConversation } from './sent-conversation.js';

const text = fc.oneof(fc.constantFrom('one', 'two', 'grün', '🧵', '"messages":[', '\\', ''), fc.string());
const content = fc.oneof(text, fc.array(fc.record({ type: fc.constant('text'), text }), { maxLength: 3 }));
const messages = fc.array(fc.record({ role: fc.constantFrom('user', 'assistant'), content }), { minLength: 1, maxLength: 5 });
const space = fc.constantFrom('', ' ', '\n\t');

/** A body with members in any order, some of them twice, and white space where JSON may have it. */
const body = fc
  .tuple(
    fc.array(
      fc.oneof(
        fc.tuple(fc.constantFrom('messages', 'mess\\u0061ges'), messages),
        fc.tuple(fc.constantFrom('model', 'system', 'later'), text),
        fc.tuple(fc.constant('tools'), fc.constant([])),
      ),
      { maxLength: 6 },
    ),
    messages,
    fc.infiniteStream(space),
  )
  .map(([members, last, spaces]) => {
    const gap = (): string => spaces.next().value as string;
    const written = (value: unknown): string =>
      Array.isArray(value) ? `[${gap()}${value.map((item) => gap() + JSON.stringify(item) + gap()).join(',')}]` : JSON.stringify(value);
    const all = [...members, ['messages', last] as const].map(([name, value]) => `${gap()}"${name}"${gap()}:${gap()}${written(value)}${gap()}`);
    return `${gap()}{${all.join(',')}}${gap()}`;
  });

describe('the messages of a body', () => {
  it('have the keys of what they say, however the body is written and however often it was read before', async () => {
    await fc.assert(
      fc.asyncProperty(body, async (written) => {
        const expected = (JSON.parse(written) as { messages: Record<string, unknown>[] }).messages.map(keyOf);
        for (let times = 0; times < 2; times += 1) {
          const conversation = await readConversation(Buffer.from(written));
          expect(conversation!.messages.map(({ key }) => key)).toEqual(expected);
          expect([conversation!.text, conversation!.parts.parts.join('')]).toEqual([written, written]);
        }
      }),
      runs(500),
    );
  });
});
