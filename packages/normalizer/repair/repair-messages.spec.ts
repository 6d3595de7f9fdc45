import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
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
const textIn = (text: string): UnknownObject => ({ type: 'text', text });

/** A conversation that the API accepts: each turn a prompt and an answer, some with calls and their results between them. */
function conversationOf(turns: readonly number[]): readonly UnknownObject[] {
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

const blocksIn = ({ content }: UnknownObject): readonly UnknownObject[] => (Array.isArray(content) ? (content as UnknownObject[]) : [textIn(String(content))]);
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

const damaged = fc
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

describe('repairing what the API refuses', () => {
  it('is accepted, keeps what people wrote, and leaves every message that is not at fault as it was', () => {
    let repaired = 0;
    fc.assert(
      fc.property(damaged, (messages) => {
        const [problem, ...others] = problemsOf(messages);
        // Two faults of different forms are two refusals: the API names one of them.
        const isOneForm = others.every(({ rule, text }) => rule === problem!.rule || !text.includes('.tool_use.'));
        if (!problem || !isOneForm) return;
        const result = repair(messages, problem.text);
        expect(result).not.toBeNull();
        const sent = result!.messages.map((item) => (typeof item === 'number' ? messages[item]! : item));
        expect(problemsOf(sent)).toEqual([]);
        const texts = messages.flatMap(blocksIn).flatMap(({ type, text }) => (type === 'text' && text !== '' ? [String(text).toWellFormed()] : []));
        const kept = sent.flatMap(blocksIn).flatMap(({ type, text }) => (type === 'text' ? [String(text)] : []));
        for (const text of texts) expect(kept).toContain(text);
        // All that is changed is in the trace.
        const noted = new Set(result!.trace.flatMap(({ source }) => (source ? [source.uuid] : [])));
        const same = new Set(result!.messages.filter((item) => typeof item === 'number'));
        messages.forEach((_, index) => expect(same.has(index) || noted.has(`m${index}`)).toBe(true));
        repaired += 1;
      }),
      runs(300),
    );
    expect(repaired).toBeGreaterThan(0);
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
