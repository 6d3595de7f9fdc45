import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { conversation, type Draft } from '../../../test/support/api-rules/conversation.js';
import { DEFAULT_MODEL, profileFor } from '../models/profiles.js';
import { checkRequest, type Rule } from './index.js';

const PROFILE = profileFor(DEFAULT_MODEL);
const RUNS = { numRuns: 200 };

const first = <Value>(values: readonly (Value | undefined)[]): Value => {
  const value = values.find((one) => one !== undefined);
  if (value === undefined) throw new Error('the conversation has no such part');
  return value;
};
const message = ({ messages }: Draft, role: string, type: string) =>
  first(messages.filter((one) => one.role === role && one.content.some((block) => block['type'] === type)));
const block = (draft: Draft, role: string, type: string) => first(message(draft, role, type).content.filter((one) => one['type'] === type));

/** Each spoils a valid request in one place. */
const MUTATIONS: readonly (readonly [Rule, string, (draft: Draft) => void])[] = [
  ['field-required', 'loses max_tokens', (draft) => delete (draft as Partial<Draft>).max_tokens],
  ['extra-input', 'keeps a field of the log', (draft) => (first(draft.messages)['uuid'] = 'u')],
  ['extra-input', 'marks a thought for the cache', (draft) => (block(draft, 'assistant', 'thinking')['cache_control'] = { type: 'ephemeral' })],
  ['wrong-type', 'stores a call without arguments as null', (draft) => (block(draft, 'assistant', 'tool_use')['input'] = null)],
  ['string-pattern', 'takes an id from another provider', (draft) => (block(draft, 'assistant', 'tool_use')['id'] = 'call|1')],
  ['unknown-type', 'has a block of its own', (draft) => first(draft.messages).content.push({ type: 'notice' })],
  ['duplicate-tool-name', 'defines a tool twice', (draft) => draft.tools.push(first(draft.tools))],
  ['empty-text', 'keeps an empty text', (draft) => message(draft, 'assistant', 'tool_use').content.unshift({ type: 'text', text: '' })],
  ['empty-message', 'stores an answer that never came', (draft) => draft.messages.splice(-1, 0, { role: 'assistant', content: [] })],
  ['blank-text', 'sends only white space', (draft) => draft.messages.push({ role: 'user', content: [{ type: 'text', text: ' \n' }] })],
  ['first-message-not-user', 'begins with a greeting', (draft) => draft.messages.unshift({ role: 'assistant', content: [{ type: 'text', text: 'hi' }] })],
  ['duplicate-tool-use-id', 'uses an id again', (draft) => message(draft, 'assistant', 'tool_use').content.push(block(draft, 'assistant', 'tool_use'))],
  ['tool-use-without-result', 'loses its results', (draft) => (message(draft, 'user', 'tool_result').content = [{ type: 'text', text: 'stop' }])],
  ['tool-result-not-first', 'puts text before the results', (draft) => message(draft, 'user', 'tool_result').content.unshift({ type: 'text', text: 'and' })],
  ['tool-result-without-use', 'is cut at its head', (draft) => draft.messages.splice(0, draft.messages.indexOf(message(draft, 'user', 'tool_result')))],
  ['duplicate-tool-result', 'stores a result twice', (draft) => message(draft, 'user', 'tool_result').content.unshift(block(draft, 'user', 'tool_result'))],
  ['empty-thinking', 'was stopped while it thought', (draft) => Object.assign(block(draft, 'assistant', 'thinking'), { thinking: '', signature: '' })],
  ['ends-in-thinking', 'ends in a thought', (draft) => draft.messages.push({ role: 'assistant', content: [block(draft, 'assistant', 'thinking')] })],
  ['prefill-not-supported', 'ends with the answer', (draft) => draft.messages.pop()],
  [
    'image-unreadable',
    'holds a broken picture',
    (draft) => draft.messages.at(-1)?.content.push({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }),
  ],
];

describe('a valid conversation', () => {
  it('has no problems', () => {
    fc.assert(
      fc.property(conversation, (draft) => expect(checkRequest(draft, PROFILE)).toEqual([])),
      RUNS,
    );
  });

  it.each(MUTATIONS)('is refused for %s when it %s', (rule, _, spoil) => {
    const property = fc.property(conversation, (draft) => {
      spoil(draft);
      expect(checkRequest(draft, PROFILE)[0]?.rule).toBe(rule);
    });
    fc.assert(property, { numRuns: 50 });
  });

  it('is judged in the same way each time, and left as it was', () => {
    const property = fc.property(conversation, fc.nat(MUTATIONS.length - 1), (draft, choice) => {
      MUTATIONS[choice]?.[2](draft);
      const before = JSON.stringify(draft);
      expect(checkRequest(draft, PROFILE)).toEqual(checkRequest(JSON.parse(before), PROFILE));
      expect(JSON.stringify(draft)).toBe(before);
    });
    fc.assert(property, RUNS);
  });

  it('is refused for its size exactly when it is too big', () => {
    const property = fc.property(conversation, fc.string({ unit: 'binary' }), (draft, system) => {
      draft['system'] = system;
      const maxBodyBytes = Buffer.byteLength(JSON.stringify(draft));
      const tooLarge = (limit: number): boolean => checkRequest(draft, { ...PROFILE, maxBodyBytes: limit }).some(({ rule }) => rule === 'request-too-large');
      expect(tooLarge(maxBodyBytes)).toBe(false);
      expect(tooLarge(maxBodyBytes - 1)).toBe(true);
    });
    fc.assert(property, RUNS);
  });
});
