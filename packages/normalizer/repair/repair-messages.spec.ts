import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { blocksIn, conversationOf, damaged, textIn } from '../../../test/support/damaged-conversations.js';
import { runs } from '../../../test/support/property-runs.js';
import type { UnknownObject } from '../../protocol/message/unknown-json.js';
import { checkRequest } from '../api-rules/index.js';
import { profileFor } from '../models/profiles.js';
import { repairMessages } from './repair-messages.js';

const MODEL = 'claude-opus-4-5';
const SETTINGS = { apiVersion: '2023-06-01' } as const;
const profile = profileFor(MODEL);
const bodyOf = (messages: readonly UnknownObject[]): UnknownObject => ({
  model: MODEL,
  max_tokens: 100,
  tools: [{ name: 'Read', input_schema: { type: 'object' } }],
  messages,
});
const problemsOf = (messages: readonly UnknownObject[]) => checkRequest(bodyOf(messages), profile, SETTINGS);
const repair = (messages: readonly UnknownObject[], message: string) =>
  repairMessages({
    body: bodyOf(messages),
    messages,
    uuids: messages.map((_, index) => `m${index}`),
    error: { status: 400, message },
    profile,
    settings: SETTINGS,
  });
describe('repairing what the API refuses', () => {
  it('is accepted, keeps what people wrote, and leaves every message that is not at fault as it was', () => {
    fc.assert(
      fc.property(damaged, (messages) => {
        const [problem, ...others] = problemsOf(messages);
        // Two faults of different forms are two refusals: the API names one of them.
        const isOneForm = others.every(({ rule, text }) => rule === problem!.rule || !text.includes('.tool_use.'));
        fc.pre(problem !== undefined && isOneForm);
        const result = repair(messages, problem!.text);
        expect(result).not.toBeNull();
        const sent = result!.messages.map((item) => (typeof item === 'number' ? messages[item]! : item));
        expect(problemsOf(sent)).toEqual([]);
        const texts = messages.flatMap(blocksIn).flatMap(({ type, text }) => (type === 'text' && text !== '' ? [String(text).toWellFormed()] : []));
        const kept = sent.flatMap(blocksIn).flatMap(({ type, text }) => (type === 'text' ? [String(text)] : []));
        for (const text of texts) expect(kept).toContain(text);
        // Each block of what is changed is in the trace.
        const noted = new Set(result!.trace.flatMap(({ source }) => (source ? [`${source.uuid} ${source.index}`] : [])));
        const same = new Set(result!.messages.filter((item) => typeof item === 'number'));
        messages.forEach((message, index) => {
          if (!same.has(index)) for (const block of blocksIn(message).keys()) expect(noted).toContain(`m${index} ${block}`);
        });
      }),
      runs(300),
    );
  });

  it('changes nothing of a request that is refused for something else', () => {
    const messages = conversationOf([1, 0]);
    expect(repair(messages, 'Your credit balance is too low to access the API.')).toBeNull();
    expect(repair(messages, 'prompt is too long: 300000 tokens > 200000 maximum')).toBeNull();
    expect(repair(messages, 'a text that no rule knows')).toBeNull();
  });

  it('leaves members alone that this build does not know, unless the API names them', () => {
    const odd = { role: 'assistant', content: [{ ...textIn('odd.'), new_member: 1 }] };
    const messages = [{ role: 'user', content: 'a' }, odd, { role: 'user', content: [textIn(''), textIn('b')] }];
    expect(repair(messages, 'messages: text content blocks must be non-empty')!.messages.slice(0, 2)).toEqual([0, 1]);
    expect(
      repair([...messages.slice(0, 2), { role: 'user', content: 'b' }], 'messages.1.content.0.text.new_member: Extra inputs are not permitted')!.messages,
    ).toEqual([0, { role: 'assistant', content: [textIn('odd.')] }, 2]);
  });

  it('leaves system messages where they are, and moves one that the API names into what a user says', () => {
    const system = { role: 'system', content: 'Be brief.' };
    const orphan = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x', content: 'y' }, textIn('hello')] };
    expect(
      repair(
        [{ role: 'user', content: 'a' }, system, { role: 'assistant', content: 'b' }, orphan],
        'unexpected `tool_use_id` found in `tool_result` blocks',
      )!.messages.slice(0, 3),
    ).toEqual([0, 1, 2]);
    const first = repair([system, { role: 'user', content: 'a' }], "messages.0: use the top-level 'system' parameter for the initial system prompt");
    expect(JSON.stringify(first!.messages)).toContain('Be brief.');
    expect(first!.messages.every((item) => typeof item === 'number' || item['role'] !== 'system')).toBe(true);
  });
});
