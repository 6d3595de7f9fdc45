import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { assistant, call, conversation, noDigest, result, text, user, view } from '../../test/support/normalize/build.js';
import { hostileTranscript, orderlyConversation } from '../../test/support/normalize/hostile.js';
import { runs } from '../../test/support/property-runs.js';
import { messageSkeleton } from '../protocol/message/message-skeleton.js';
import type { Message } from '../protocol/message/message.js';
import { buildPayload, type PayloadInput } from './build-payload.js';
import { NormalizationCache } from './normalization-cache.js';
import { DEFAULT_NORMALIZE_GATES } from '../protocol/gates.js';

const tools = [{ name: 'Read', description: 'Reads a file', input_schema: { type: 'object' } }];
const SETTINGS: readonly Partial<PayloadInput>[] = [
  {},
  { tools, system: 'Be brief.', context: { now: 'later' } },
  { model: 'claude-opus-4-6', gates: { ...DEFAULT_NORMALIZE_GATES, 'tool-search': true, 'tool-reference-relocation': false } },
  {
    model: 'claude-opus-4-6',
    tools,
    gates: { ...DEFAULT_NORMALIZE_GATES, 'history-snip': true, 'system-reminder-folding': true, advisor: true },
    cacheMarkers: false,
  },
];

const inputOf = (messages: readonly Message[], changes: Partial<PayloadInput> = {}): PayloadInput => ({
  ...{ messages, system: null, context: {}, systemContext: {}, tools: [], gates: DEFAULT_NORMALIZE_GATES, model: 'claude-sonnet-5-5', maxTokens: 1_000 },
  ...changes,
});

/**
 * What a session had become when requests went out: lengths to which it grew or was rewound, on one of two branches that part after `common` messages, with a compaction
 * or a message that was erased before, and under which settings.
 */
const requests = fc.array(
  fc.record({
    length: fc.nat({ max: 40 }),
    branch: fc.nat({ max: 1 }),
    compacted: fc.option(fc.nat({ max: 20 }), { freq: 4 }),
    erased: fc.option(fc.nat({ max: 20 }), { freq: 4 }),
    settings: fc.constantFrom(...SETTINGS),
  }),
  { minLength: 2, maxLength: 6 },
);

const compaction = (before: Message | undefined): Message =>
  ({
    ...{ type: 'system', uuid: 'boundary', parentUuid: before?.uuid ?? null, timestamp: '', subtype: 'compact_boundary', content: 'Compacted' },
    compactMetadata: { trigger: 'auto', preTokens: 1, keptFrom: before?.uuid ?? null },
  }) as Message;
const summary = conversation(user('what was said', { isCompactSummary: true }))[0] as Message;

function withCompaction(messages: readonly Message[], at: number | null): readonly Message[] {
  return at === null ? messages : [...messages.slice(0, at), compaction(messages[at - 1]), summary, ...messages.slice(at)];
}

function withErased(messages: readonly Message[], at: number | null): readonly Message[] {
  const message = at === null ? undefined : messages[at];
  return message && message.type !== 'progress' ? messages.with(at!, messageSkeleton(message)) : messages;
}

describe('a memory of earlier requests', () => {
  it.each([
    ['hostile transcripts', hostileTranscript],
    ['conversations', orderlyConversation.map(({ messages }) => messages)],
  ])('changes nothing about a request, of %s that grow, are rewound and restored, compacted and erased, and change their settings', (_, transcripts) => {
    fc.assert(
      fc.property(transcripts, transcripts, fc.nat({ max: 30 }), requests, fc.constantFrom(1, 300, 16_384), (one, other, common, times, partCharacters) => {
        const branches = [one, [...one.slice(0, common), ...other]];
        const memory = new NormalizationCache(partCharacters);
        for (const { length, branch, compacted, erased, settings } of times) {
          const input = inputOf(withErased(withCompaction(branches[branch]!.slice(0, length), compacted), erased), settings);
          expect(buildPayload(input, noDigest, false, memory)).toEqual(buildPayload(input, noDigest, false));
        }
      }),
      runs(300),
    );
  });

  it('spares the work on what was there before', () => {
    const talk = conversation(
      user('p'),
      ...Array.from({ length: 20 }, (_, index) => [
        assistant(`m${index}`, [text('a'), call(`c${index}`)]),
        user([result(`c${index}`, 'done')], { isMeta: true }),
      ]).flat(),
      assistant('end', [text('b')]),
      user('q'),
    );
    const memory = new NormalizationCache();
    const digested = (messages: readonly Message[]): readonly string[] => {
      const texts: string[] = [];
      buildPayload(inputOf(messages), (value) => (texts.push(noDigest(value)), texts.at(-1)!), false, memory);
      return texts.filter((value) => value.startsWith('{"role"'));
    };
    expect(digested(talk.slice(0, -2))).toHaveLength(41);
    expect(digested(talk)).toHaveLength(2);
    expect(digested(talk)).toHaveLength(0);
  });

  it.each([1, 60, 16_384])('repeats what it sent in parts of %i characters, but not where the markers of the cache are or were', (partCharacters) => {
    const talk = conversation(...Array.from({ length: 6 }, (_, index) => [user(`q${index}`), assistant(`m${index}`, [text(`a${index}`)])]).flat());
    const memory = new NormalizationCache(partCharacters);
    for (const length of [11, 5, 11, 3, 12, 7]) {
      const input = inputOf(talk.slice(0, length));
      expect(buildPayload(input, noDigest, false, memory).body).toBe(buildPayload(input, noDigest, false).body);
    }
  });

  it('leaves the trace what it is', () => {
    const talk = conversation(user('p'), assistant('m', [text(' '), text('a')]), user('q'));
    const memory = new NormalizationCache();
    buildPayload(inputOf(talk), noDigest, false, memory);
    expect(buildPayload(inputOf(talk), noDigest, true, memory)).toEqual(view(talk));
  });
});
