import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MODEL, noDigest, view } from '../../../test/support/view/build.js';
import { hostileTranscript, orderlyConversation } from '../../../test/support/view/hostile.js';
import { checkRequest } from '../strict/index.js';
import { apiView, type ApiView } from './api-view.js';
import { readMessages } from './plain-message.js';
import type { Payload, PayloadMessage } from './payload.js';
import { comparePrefix } from './prefix.js';
import { profileFor } from './profiles.js';
import { contentOf } from './working.js';

/** A model that takes the conversation as it is, one that goes on from an answer, and one whose provider merges no turns. */
const MODELS = [MODEL, 'claude-opus-4-6', 'claude-haiku-4-5', 'anthropic.claude-opus-4-1-20250805-v1:0'];
const TOOLS = [{ name: 'Read', input_schema: { type: 'object' } }];
const settings = fc.record({
  model: fc.constantFrom(...MODELS),
  tools: fc.constantFrom([], TOOLS),
  // Thinking is taken at its word, or nobody knows what any of it was signed behind.
  signedBehind: fc.constantFrom(undefined, {}),
  // The advisor gate speaks for a header, which the body alone does not show.
  gates: fc.record({ 'tool-reference-relocation': fc.boolean(), 'system-reminder-folding': fc.boolean(), 'history-snip': fc.boolean(), 'tool-search': fc.boolean(), advisor: fc.constant(false) }),
});

const problemsOf = (payload: Payload) => checkRequest(payload, profileFor(payload.model)).filter(({ rule }) => rule !== 'messages-empty');
const unmarked = (messages: readonly PayloadMessage[]): readonly PayloadMessage[] =>
  JSON.parse(JSON.stringify(messages), (key, value: unknown) => (key === 'cache_control' ? undefined : value)) as readonly PayloadMessage[];

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

describe('the view, for any transcript', () => {
  it('is a request that the model API accepts', () => {
    fc.assert(
      fc.property(hostileTranscript, settings, (messages, given) => {
        expect(problemsOf(view(messages, given).payload)).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is the same with and without the trace, and never touches what is stored', () => {
    fc.assert(
      fc.property(hostileTranscript, settings, (messages, given) => {
        const changes = { ...given, system: 'Be \ud83d brief.', context: { project: 'Notes' }, systemContext: { date: 'today' } };
        const traced = view(frozen(messages), changes);
        const { trace: _, ...bare } = view(messages, changes, false);
        expect(traced).toMatchObject(bare);
        expect(traced.body).toBe(JSON.stringify(traced.payload));
        expect(traced.digest).toBe(noDigest(traced.body));
      }),
    );
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(hostileTranscript, settings, (messages, { gates, ...rest }) => {
        // With names for stored messages switched on, a payload fed back would have its parts named anew.
        const given = { ...rest, gates: { ...gates, 'history-snip': false } };
        const once = unmarked(view(messages, given).payload.messages);
        const twice = view(readMessages(once), given);
        expect(unmarked(twice.payload.messages)).toEqual(once);
        expect(twice.trace.filter(({ action }) => action !== 'kept')).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('accounts for every block: where it went, or which pass took it out', () => {
    fc.assert(
      fc.property(hostileTranscript, settings, (messages, given) => {
        const { payload, trace } = view(messages, given);
        for (const message of messages) {
          contentOf(message).forEach((_, index) => {
            const entries = trace.filter(({ source }) => source?.uuid === message.uuid && source.index === index);
            expect(entries.length).toBeGreaterThan(0);
            const isGone = entries.every(({ target }) => target === null);
            if (isGone) expect(entries.some(({ action }) => action === 'dropped')).toBe(true);
            for (const { action, target } of entries) expect(target === null).toBe(isGone || action === 'dropped');
          });
        }
        const targets = new Set(trace.flatMap(({ target }) => (target ? [`${target.message}.${target.block}`] : [])));
        payload.messages.forEach(({ content }, message) => content.forEach((_, block) => expect(targets).toContain(`${message}.${block}`)));
        expect(trace.every(({ action, source }) => (action === 'made') === (source === null))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('keeps thinking as the model signed it, or not at all', () => {
    fc.assert(
      fc.property(hostileTranscript, (messages) => {
        const signed = ({ type, thinking, signature, data }: Record<string, unknown>) => JSON.stringify({ type, thinking, signature, data });
        const isThinking = ({ type }: { readonly type: string }) => type === 'thinking' || type === 'redacted_thinking';
        const stored = new Set(messages.flatMap(contentOf).filter(isThinking).map((block) => signed({ ...block })));
        for (const block of view(messages).payload.messages.flatMap(({ content }) => content).filter(isThinking)) {
          expect(stored).toContain(signed({ ...block }));
          expect(block).not.toHaveProperty('cache_control');
        }
      }),
    );
  });
});

describe('the view of a conversation that grows', () => {
  /** A turn asks the model when there is something to ask: the last thing it sees is no placeholder alone. */
  const asks = ({ payload, trace }: ApiView): boolean => trace.some(({ source, target }) => source !== null && target?.message === payload.messages.length - 1);

  /** One line per block: a request continues another when its lines begin with those of the other. */
  const withLines = (made: ApiView) => ({
    ...made,
    lines: unmarked(made.payload.messages).flatMap(({ role, content }, message) => content.map((block) => `${message} ${role} ${JSON.stringify(block)}`)),
  });

  it('continues what earlier requests sent, block for block', () => {
    fc.assert(
      fc.property(orderlyConversation, ({ messages, requests }) => {
        const views = requests.map((length) => view(messages.slice(0, length))).filter(asks).map(withLines);
        for (const [at, later] of views.entries()) {
          for (const earlier of views.slice(0, at)) expect(later.lines.slice(0, earlier.lines.length)).toEqual(earlier.lines);
          const before = views[at - 1];
          if (before) expect(comparePrefix(before.prefixDigests, later.prefixDigests)).toEqual({ shared: before.payload.messages.length });
        }
      }),
      { numRuns: 500 },
    );
  });
});

it('a conversation of which nothing can be sent is reported, not made up', () => {
  const { payload } = apiView({ ...EMPTY, messages: [] }, noDigest);
  expect(payload.messages).toEqual([]);
  expect(checkRequest(payload, profileFor(MODEL)).map(({ rule }) => rule)).toEqual(['messages-empty']);
});

const EMPTY = {
  system: null,
  context: { project: 'Notes' },
  systemContext: {},
  tools: [],
  gates: { 'tool-reference-relocation': false, 'system-reminder-folding': false, 'history-snip': false, 'tool-search': false, advisor: false },
  model: MODEL,
  maxTokens: 1_000,
};
