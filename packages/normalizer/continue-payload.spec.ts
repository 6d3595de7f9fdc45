import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  assistant,
  call,
  conversation,
  type Entry,
  image,
  MODEL,
  result,
  sha256,
  system,
  text,
  thinking,
  user,
  uuidAt,
} from '../../test/support/normalize/build.js';
import { anyGates } from '../../test/support/normalize/gates.js';
import { hostileTranscript, orderlyConversation } from '../../test/support/normalize/hostile.js';
import { runs } from '../../test/support/property-runs.js';
import { DEFAULT_NORMALIZE_GATES } from '../protocol/gates.js';
import type { RequestPrefix } from '../protocol/events/events.js';
import type { Message } from '../protocol/message/message.js';
import { checkRequest } from './api-rules/index.js';
import { type BuiltPayload, buildPayload, type PayloadInput, sentMessages } from './build-payload.js';
import { profileFor } from './models/profiles.js';
import { sharedMessages } from './prefix.js';

const inputOf = (messages: readonly Message[], changes: Partial<PayloadInput> = {}): PayloadInput => ({
  ...{ messages, system: null, context: { place: 'here' }, systemContext: {}, tools: [{ name: 'Read', input_schema: { type: 'object' } }] },
  ...{ gates: DEFAULT_NORMALIZE_GATES, model: MODEL, maxTokens: 1_000 },
  ...changes,
});

const whole = (input: PayloadInput): BuiltPayload => buildPayload(input, sha256);
const after = (before: PayloadInput, view: BuiltPayload, input: PayloadInput): BuiltPayload =>
  buildPayload(input, sha256, false, undefined, sentMessages(before, view));

const problems = ({ payload }: BuiltPayload): readonly unknown[] => checkRequest(payload, profileFor(payload.model)).map(({ rule }) => rule);

const targets = (trace: BuiltPayload['trace'], from: number): readonly string[] =>
  [...new Set(trace.filter(({ target }) => target && target.message >= from).map(({ source, target }) => JSON.stringify([source, target])))].sort();

/** Conversations of hostile content, with requests at any place; and as the turn engine writes them, with requests where it sends them. */
const grown = fc.oneof(
  fc.tuple(
    hostileTranscript,
    fc.array(fc.nat(14), { minLength: 2, maxLength: 6 }).map((ends) => ends.sort((one, other) => one - other)),
  ),
  orderlyConversation.map(({ messages, requests }) => [messages, requests] as [readonly Message[], number[]]),
);

describe('a payload that continues the one before it', () => {
  const asked = [user('one'), assistant('m1', [text('looking'), call('a')]), user([result('a', 'found')])];
  const answered = [assistant('m2', [text('there')]), user('two')];

  it('equals the payload of the whole conversation wherever that begins with what is kept of what was sent', () => {
    let continued = 0;
    fc.assert(
      fc.property(grown, anyGates, fc.constantFrom(MODEL, 'claude-opus-4-6'), ([messages, ends], gates, model) => {
        let before = inputOf(messages.slice(0, ends[0]), { gates, model });
        const signedPrefixes: Record<string, RequestPrefix> = {};
        let view = whole(before);
        for (const end of ends.slice(1)) {
          const answer = messages.slice(before.messages.length, end).find(({ type }) => type === 'assistant');
          const { system, tools, messages: digests } = view.prefixDigests;
          if (answer) signedPrefixes[answer.uuid] = { system, tools, messages: digests.at(-1) ?? '' };
          const input = inputOf(messages.slice(0, end), { gates, model, signedPrefixes: { ...signedPrefixes } });
          const [next, all] = [after(before, view, input), whole(input)];
          if (next.parts.continued) {
            continued += 1;
            const { keep } = next.parts.continued;
            expect(next.prefixDigests.messages.slice(0, keep)).toEqual(view.prefixDigests.messages.slice(0, keep));
            if (sharedMessages(view.prefixDigests, all.prefixDigests) >= keep) {
              expect(next.body).toBe(all.body);
              expect(next.prefixDigests).toEqual(all.prefixDigests);
              expect(targets(next.trace, keep)).toEqual(targets(all.trace, keep));
            }
            if (problems(all).length === 0) expect(problems(next)).toEqual([]);
          } else expect(next.body).toBe(all.body);
          [before, view] = [input, next];
        }
      }),
      // Of a few random conversations none may continue: this one does.
      { ...runs(300), examples: [[[conversation(...asked, ...answered), [asked.length, asked.length + answered.length]], DEFAULT_NORMALIZE_GATES, MODEL]] },
    );
    expect(continued).toBeGreaterThan(0);
  });

  const nextOf = (before: readonly Entry[], added: readonly Entry[], changes: Partial<PayloadInput> = {}, earlier: Partial<PayloadInput> = {}) => {
    const messages = conversation(...before, ...added);
    const input = inputOf(messages.slice(0, before.length), earlier);
    const next = inputOf(messages, { ...earlier, ...changes });
    return { next: after(input, whole(input), next), all: whole(next) };
  };

  it('is made of what was added alone', () => {
    const { next, all } = nextOf(asked, answered);
    expect(next.parts.continued).toMatchObject({ from: 3, keep: 3 });
    expect(next.trace.map(({ source, target }) => [source?.uuid, target?.message])).toEqual([
      [uuidAt(3), 3],
      [uuidAt(4), 4],
    ]);
    expect(next.body).toBe(all.body);
  });

  it.each<readonly [string, readonly Entry[]]>([
    ['a prompt', [user('two')]],
    ['another part of its answer', [assistant('m1', [text('more')]), user('two')]],
    ['an answer of which nothing is sent', [assistant('m2', [text(' ')])]],
  ])('keeps what precedes the last turn when that has grown by %s', (_, added) => {
    const { next, all } = nextOf(asked, added);
    expect(next.parts.continued).toMatchObject({ from: 1, keep: 1 });
    expect(next.body).toBe(all.body);
  });

  it('does not cut the last turn out of a message before it, as passes of another build may have made one', () => {
    const messages = conversation(...asked, user('two'));
    const before = inputOf(messages.slice(0, 3));
    const sent = sentMessages(before, whole(before));
    const [first, ...others] = sent.working;
    const blocks = first!.blocks.map((block) => ({ ...block, sources: [...block.sources, { uuid: uuidAt(2), index: 0 }] }));
    expect(buildPayload(inputOf(messages), sha256, false, undefined, sent).parts.continued).toMatchObject({ keep: 1 });
    const joined = { ...sent, working: [{ ...first!, blocks }, ...others] };
    expect(buildPayload(inputOf(messages), sha256, false, undefined, joined).parts.continued).toBeNull();
  });

  it('has the thinking that was signed under what was sent', () => {
    const messages = conversation(...asked, assistant('m2', [thinking('so'), text('there')]), user('two'));
    const before = inputOf(messages.slice(0, 3));
    const view = whole(before);
    const { system: prompt, tools, messages: digests } = view.prefixDigests;
    const input = inputOf(messages, { signedPrefixes: { [uuidAt(3)]: { system: prompt, tools, messages: digests.at(-1)! } } });
    const next = after(before, view, input);
    expect(next.parts.continued).toMatchObject({ keep: 3 });
    expect(next.payload.messages[3]).toMatchObject({ content: [thinking('so'), text('there')] });
    expect(next.body).toBe(whole(input).body);
  });

  const document = (enabled: boolean): object => ({
    ...{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'd' } },
    citations: { enabled },
  });
  const images = (count: number): Entry => user(Array.from({ length: count }, () => image()));
  const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} };
  const searching = { tools: [{ name: 'web_search', input_schema: {} }] };
  const found = [user('one'), assistant('m1', [call('a')]), user([result('a', [{ type: 'tool_reference', tool_name: 'Read' }]), text('beside it')])];
  const moving = { model: 'claude-opus-4-6', gates: { ...DEFAULT_NORMALIZE_GATES, 'tool-search': true, 'tool-reference-relocation': true } };
  it.each<readonly [string, readonly Entry[], readonly Entry[], Partial<PayloadInput>?, Partial<PayloadInput>?]>([
    ['a prompt joins one without an answer', [user('one')], [user('two')]],
    ['an answer is the last of what was sent', [user('one'), assistant('m1', [])], [assistant('m2', [text('so')]), user('two')]],
    [
      'an answer of which nothing was sent is the last before the turn that has grown',
      [user('one'), assistant('m0', []), user([]), assistant('m1', [call('a')]), user([result('a', 'found')])],
      [user('two')],
    ],
    ['nothing of what was added is sent', [user('one')], [assistant('m2', [text(' ')])]],
    ['a call has an id that was used', [...asked, ...answered], [assistant('m3', [call('a')]), user([result('a', 'again')])]],
    [
      'a result of an earlier call comes late',
      [user('one'), assistant('m1', [call('a')]), user('go on')],
      [assistant('m2', [text('so')]), user([result('a', 'late')])],
    ],
    ['an answer has another part', [...asked, assistant('m2', [call('b')]), user([result('b', 'more')])], [assistant('m1', [text('more')]), user('two')]],
    ['there are more files than a request may have', [images(400)], [assistant('m1', [text('many')]), images(300)]],
    ['documents disagree about citations', [user([document(true)])], [assistant('m1', [text('read')]), user([document(false)])]],
    ['a compaction was added', asked, [...answered.slice(0, 1), system('compact_boundary', 'compacted'), user('what was said', { isCompactSummary: true })]],
    ['a turn was withdrawn', asked, [...answered, { ...system('refusal', ''), withdraws: [uuidAt(0)] }]],
    [
      'a file was rejected',
      [images(1)],
      [assistant('m1', [text('no')], { isApiErrorMessage: true, apiError: 'image_too_large' }), assistant('m2', [text('so')]), user('two')],
    ],
    [
      'a server tool was called without its result',
      [user('one'), assistant('m1', [search as never, call('a')]), user([result('a', 'found')])],
      answered,
      searching,
      searching,
    ],
    ['texts move to later results', found, [assistant('m2', [call('b')]), user([result('b', 'more')])], {}, moving],
    ['the model is another one', asked, answered, { model: 'claude-opus-4-6' }],
    ['the tools are others', asked, answered, { tools: [] }],
    ['the system prompt is another one', asked, answered, { system: 'Be brief.' }],
    ['the context is another one', asked, answered, { context: { place: 'there' } }],
    ['gates are others', asked, answered, { gates: { ...DEFAULT_NORMALIZE_GATES, 'history-snip': true } }],
  ])('is that of the whole conversation when %s', (_, before, added, changes = {}, earlier = {}) => {
    const { next, all } = nextOf(before, added, changes, earlier);
    expect(next.parts.continued === null).toBe(true);
    expect(next.body).toBe(all.body);
  });

  it('is that of the whole conversation when that is another one', () => {
    const input = inputOf(conversation(...asked));
    const sent = sentMessages(input, whole(input));
    const others = [conversation(...asked.slice(0, 1)), conversation(...asked, ...answered).map((message) => ({ ...message, uuid: `b${message.uuid}` }))];
    for (const messages of others) expect(buildPayload(inputOf(messages), sha256, false, undefined, sent).parts.continued === null).toBe(true);
  });
});
