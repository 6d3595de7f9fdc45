import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { conversation, type Draft } from '../../../test/support/api-rules/conversation.js';
import { DEFAULT_MODEL, profileFor } from '../models/profiles.js';
import { checkRequest, type Rule } from './index.js';
import { runs } from '../../../test/support/property-runs.js';

const PROFILE = profileFor(DEFAULT_MODEL);
const RUNS = runs(200);

const first = <Value>(values: readonly (Value | undefined)[]): Value => {
  const value = values.find((one) => one !== undefined);
  if (value === undefined) throw new Error('the conversation has no such part');
  return value;
};
const message = ({ messages }: Draft, role: string, type: string) =>
  first(messages.filter((one) => one.role === role && one.content.some((block) => block['type'] === type)));
const block = (draft: Draft, role: string, type: string) => first(message(draft, role, type).content.filter((one) => one['type'] === type));

/** Each makes one invalid change to a valid request. */
const MUTATIONS: readonly (readonly [Rule, string, (draft: Draft) => void])[] = [
  ['field-required', 'max_tokens is missing', (draft) => delete (draft as Partial<Draft>).max_tokens],
  ['extra-input', 'a message has a field of the log', (draft) => (first(draft.messages)['uuid'] = 'u')],
  ['extra-input', 'thinking has cache_control', (draft) => (block(draft, 'assistant', 'thinking')['cache_control'] = { type: 'ephemeral' })],
  ['wrong-type', 'the input of a call is null', (draft) => (block(draft, 'assistant', 'tool_use')['input'] = null)],
  ['string-pattern', 'a call id has another format', (draft) => (block(draft, 'assistant', 'tool_use')['id'] = 'call|1')],
  ['unknown-type', 'a block has an unknown type', (draft) => first(draft.messages).content.push({ type: 'notice' })],
  ['duplicate-tool-name', 'a tool is defined twice', (draft) => draft.tools.push(first(draft.tools))],
  ['empty-text', 'a text block is empty', (draft) => message(draft, 'assistant', 'tool_use').content.unshift({ type: 'text', text: '' })],
  ['empty-message', 'an assistant message is empty', (draft) => draft.messages.splice(-1, 0, { role: 'assistant', content: [] })],
  ['blank-text', 'a message has only whitespace', (draft) => draft.messages.push({ role: 'user', content: [{ type: 'text', text: ' \n' }] })],
  [
    'first-message-not-user',
    'the first message is an assistant message',
    (draft) => draft.messages.unshift({ role: 'assistant', content: [{ type: 'text', text: 'hi' }] }),
  ],
  ['duplicate-tool-use-id', 'a call id is repeated', (draft) => message(draft, 'assistant', 'tool_use').content.push(block(draft, 'assistant', 'tool_use'))],
  ['tool-use-without-result', 'the results are missing', (draft) => (message(draft, 'user', 'tool_result').content = [{ type: 'text', text: 'stop' }])],
  ['tool-result-not-first', 'text precedes the results', (draft) => message(draft, 'user', 'tool_result').content.unshift({ type: 'text', text: 'and' })],
  [
    'tool-result-without-use',
    'the calls before the results are missing',
    (draft) => draft.messages.splice(0, draft.messages.indexOf(message(draft, 'user', 'tool_result'))),
  ],
  ['duplicate-tool-result', 'a result is repeated', (draft) => message(draft, 'user', 'tool_result').content.unshift(block(draft, 'user', 'tool_result'))],
  ['empty-thinking', 'thinking is empty and unsigned', (draft) => Object.assign(block(draft, 'assistant', 'thinking'), { thinking: '', signature: '' })],
  ['ends-in-thinking', 'the last block is thinking', (draft) => draft.messages.push({ role: 'assistant', content: [block(draft, 'assistant', 'thinking')] })],
  ['prefill-not-supported', 'the last message is an assistant message', (draft) => draft.messages.pop()],
  [
    'image-unreadable',
    'an image cannot be decoded',
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

  it.each(MUTATIONS)('violates %s when %s', (rule, _, mutate) => {
    const property = fc.property(conversation, (draft) => {
      mutate(draft);
      expect(checkRequest(draft, PROFILE)[0]?.rule).toBe(rule);
    });
    fc.assert(property, runs(50));
  });

  it('gets the same result each time and is not modified', () => {
    const property = fc.property(conversation, fc.nat(MUTATIONS.length - 1), (draft, choice) => {
      MUTATIONS[choice]?.[2](draft);
      const before = JSON.stringify(draft);
      expect(checkRequest(draft, PROFILE)).toEqual(checkRequest(JSON.parse(before), PROFILE));
      expect(JSON.stringify(draft)).toBe(before);
    });
    fc.assert(property, RUNS);
  });

  it('violates request-too-large exactly above the limit', () => {
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
