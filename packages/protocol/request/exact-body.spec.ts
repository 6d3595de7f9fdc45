import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.js';
import { exactParts, partsOfBody, resolvedParts } from './exact-body.js';
import type { ExactPart } from './sent-body.js';

const bodies = fc.array(
  fc.record(
    {
      model: fc.string(),
      messages: fc.array(fc.record({ role: fc.constantFrom('user', 'assistant'), content: fc.jsonValue({ maxDepth: 2 }) }), { maxLength: 6 }),
      system: fc.jsonValue({ maxDepth: 1 }),
      tools: fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 2 }),
      more: fc.jsonValue({ maxDepth: 2 }),
    },
    { requiredKeys: [] },
  ),
  { minLength: 1, maxLength: 5 },
);

describe('the parts of a body', () => {
  it('joined are the body, however it is written', () => {
    fc.assert(
      fc.property(bodies, fc.constantFrom(undefined, 1, '\t'), ([body], space) => {
        const text = ` ${JSON.stringify(body, null, space)}\n`;
        expect(partsOfBody(text).join('')).toBe(text);
      }),
      runs(500),
    );
  });

  it('are messages, each with what stands before it, the system prompt and the tools', () => {
    const text = '{"model":"m","messages":[{"a":1} , {"b":"]}"}],"system":"s","tools":[]}';
    expect(partsOfBody(text)).toEqual(['{"model":"m","messages":[', '{"a":1}', ' , {"b":"]}"}', '],"system":', '"s"', ',"tools":', '[]', '}']);
  });

  it('of a chain of bodies are put together again from what each has recorded', () => {
    fc.assert(
      fc.property(bodies, (sent) => {
        const texts = sent.map((body) => JSON.stringify(body));
        let earlier: readonly string[] = [];
        const chain = texts.map((text): readonly ExactPart[] => {
          const parts = partsOfBody(text);
          const recorded = exactParts<string>(parts, earlier, (index) => parts[index]!);
          earlier = parts;
          return recorded;
        });
        expect(resolvedParts(chain)?.join('')).toBe(texts.at(-1));
      }),
      runs(500),
    );
  });

  it('that a conversation adds are all that is recorded of it', () => {
    const text = (messages: readonly string[]): string => JSON.stringify({ model: 'm', messages, system: 'a long text' });
    const [first, second] = [partsOfBody(text(['one'])), partsOfBody(text(['one', 'two']))];
    expect(exactParts(second, first, (index) => second[index]!)).toEqual([{ from: 0, count: 2 }, ',"two"', { from: 2, count: 3 }]);
  });

  it('are missing when a record refers to what the one before it does not have', () => {
    expect(resolvedParts([['a'], [{ from: 0, count: 2 }]])).toBe(null);
  });
});
