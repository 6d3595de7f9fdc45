import { describe, expect, it } from '@jest/globals';
import { assistant, call, conversation, noDigest, result, sha256, text, user, view } from '../../test/support/normalize/build.js';
import type { Payload } from './payload.js';
import { comparePrefix } from './prefix.js';

const TOOL = { name: 'Read', description: 'Reads a file', input_schema: { type: 'object' } };
const talk = conversation(user('p'), assistant('m', [text('a'), call('x')]), user([result('x', 'done')]), assistant('n', [text('b')]), user('q'));

/** Where the cache markers stand. */
function markers({ system = [], tools = [], messages }: Payload): readonly string[] {
  const places = [
    ...system.map((block, index) => [`system.${index}`, block] as const),
    ...tools.map((tool, index) => [`tools.${index}`, tool] as const),
    ...messages.flatMap(({ content }, message) => content.map((block, index) => [`messages.${message}.${index}`, block] as const)),
  ];
  return places.filter(([, value]) => 'cache_control' in value).map(([place]) => place);
}

describe('assembling a request', () => {
  it('writes system prompt and values as one text, and leaves out what is empty', () => {
    const { payload } = view(talk, { system: 'Be brief.', systemContext: { branch: 'main', date: 'today' } });
    expect(payload.system?.map((block) => block.text)).toEqual(['Be brief.\n\nbranch: main\ndate: today']);
    expect(view(talk, { system: ' ' }).payload).not.toHaveProperty('system');
    expect(view(talk).payload).not.toHaveProperty('tools');
  });

  it('keeps to the maximum of the model', () => {
    expect(view(talk, { maxTokens: 1_000_000 }).payload.max_tokens).toBe(128_000);
    expect(view(talk, { maxTokens: 500 }).payload.max_tokens).toBe(500);
  });

  it('marks what stands in front of the conversation, and the last two user turns', () => {
    expect(markers(view(talk, { system: 'Be brief.', tools: [TOOL] }).payload)).toEqual(['system.0', 'messages.2.0', 'messages.4.0']);
    expect(markers(view(talk, { tools: [TOOL] }).payload)).toEqual(['tools.0', 'messages.2.0', 'messages.4.0']);
    expect(markers(view(conversation(user('p'))).payload)).toEqual(['messages.0.0']);
  });

  it('hashes the string that is sent', () => {
    const { body, digest, payload } = view(talk, { system: 'Be brief.', tools: [TOOL] });
    expect(body).toBe(JSON.stringify(payload));
    expect(digest).toBe(noDigest(body));
  });
});

describe('comparing requests', () => {
  const digestsOf = (messages: Parameters<typeof view>[0], changes: Parameters<typeof view>[1] = {}) => view(messages, changes, false, sha256).prefixDigests;
  const digests = (count: number, changes: Parameters<typeof view>[1] = {}) => digestsOf(talk.slice(0, count), changes);

  it('finds an earlier request in a later one, markers apart', () => {
    expect(comparePrefix(digests(1), digests(3))).toEqual({ shared: 1 });
    expect(comparePrefix(digests(3), digests(5))).toEqual({ shared: 3 });
  });

  it('says where it broke', () => {
    expect(comparePrefix(digests(3), digests(5, { system: 'Be long.' }))).toEqual({ shared: 0, brokenAt: 'system' });
    expect(comparePrefix(digests(3), digests(5, { tools: [TOOL] }))).toEqual({ shared: 0, brokenAt: 'tools' });
    expect(comparePrefix(digests(3), digests(5, { context: { now: 'later' } }))).toEqual({ shared: 0, brokenAt: 0 });
    expect(comparePrefix(digests(5), digests(3))).toEqual({ shared: 3, brokenAt: 3 });
  });

  it('takes a last turn that has grown for shared, and one that has changed for broken', () => {
    const [first, second] = [user('p'), user('and q')];
    const alone = digestsOf(conversation(first));
    expect(comparePrefix(alone, digestsOf(conversation(first, second)))).toEqual({ shared: 1 });
    expect(comparePrefix(alone, digestsOf(conversation(second, first)))).toEqual({ shared: 0, brokenAt: 0 });
  });
});
