import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MODEL, noDigest, view } from '../../../test/support/normalize/build.js';
import {
  conversationThatEndsIn,
  hostileTranscript,
  instructedConversation,
  type Orderly,
  orderlyConversation,
} from '../../../test/support/normalize/hostile.js';
import { anyGates } from '../../../test/support/normalize/gates.js';
import { MODELS } from '../../../test/support/normalize/models.js';
import { runs } from '../../../test/support/property-runs.js';
import type { Message } from '../../../packages/protocol/message/message.js';
import { checkRequest } from '../../../packages/normalizer/api-rules/index.js';
import { buildPayload, type BuiltPayload, type PayloadInput } from '../../../packages/normalizer/build-payload.js';
import type { Payload, PayloadMessage } from '../../../packages/normalizer/payload.js';
import { comparePrefix } from '../../../packages/normalizer/prefix.js';
import { profileFor } from '../../../packages/normalizer/models/profiles.js';
import { contentBlocksOf } from '../../../packages/protocol/message/message-content.js';
import { DEFAULT_NORMALIZE_GATES } from '../../../packages/protocol/gates.js';

const TOOLS = [{ name: 'Read', input_schema: { type: 'object' } }];
const settings = fc.record({
  model: fc.constantFrom(...MODELS),
  tools: fc.constantFrom([], TOOLS),
  // Signatures are not checked, or no prefix is known.
  signedPrefixes: fc.constantFrom(undefined, {}),
  gates: anyGates,
});

const problemsOf = (payload: Payload) => checkRequest(payload, profileFor(payload.model)).filter(({ rule }) => rule !== 'messages-empty');
const unmarked = (messages: readonly PayloadMessage[]): readonly PayloadMessage[] =>
  JSON.parse(JSON.stringify(messages), (key, value: unknown) => (key === 'cache_control' ? undefined : value)) as readonly PayloadMessage[];

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

describe('the view, for any transcript', () => {
  it('keeps calls last where the thinking after them is removed', () => {
    const content = [
      { type: 'tool_use', id: 'a', name: 'Read', input: {} },
      { type: 'thinking', thinking: 'hm', signature: 'sig' },
      { type: 'text', text: 'a' },
    ] as const;
    const message: Message = {
      type: 'assistant',
      uuid: '1',
      parentUuid: null,
      timestamp: '',
      message: { id: 'm1', role: 'assistant', model: 'claude-sonnet-5-5', content, stop_reason: 'end_turn' },
    };
    const { payload } = view([message], { model: 'claude-sonnet-5-5', tools: [], signedPrefixes: {}, gates: DEFAULT_NORMALIZE_GATES });
    expect(problemsOf(payload)).toEqual([]);
    expect(payload.messages[1]?.content.map(({ type }) => type)).toEqual(['text', 'tool_use']);
  });

  it('is the same with and without the trace, and never touches what is stored', () => {
    fc.assert(
      fc.property(hostileTranscript, settings, (messages, given) => {
        const changes = { ...given, system: 'Be \ud83d brief.', context: { project: 'Notes' }, systemContext: { date: 'today' } };
        const traced = view(frozen(messages), changes);
        const { trace: _, parts: __, ...bare } = view(messages, changes, false);
        expect(traced).toMatchObject(bare);
        // Inputs of calls stand in the body as they were written, here with escapes that JSON.stringify does not write.
        expect(JSON.stringify(JSON.parse(traced.body))).toBe(JSON.stringify(traced.payload));
        expect(traced.digest).toBe(noDigest(traced.body));
      }),
      runs(),
    );
  });

  it('accounts for every block: where it went, or which pass took it out', () => {
    fc.assert(
      fc.property(hostileTranscript, settings, (messages, given) => {
        const { payload, trace } = view(messages, given);
        for (const message of messages) {
          contentBlocksOf(message).forEach((_, index) => {
            const entries = trace.filter(({ source }) => source?.uuid === message.uuid && source.index === index);
            expect(entries.length).toBeGreaterThan(0);
            const isGone = entries.every(({ target }) => target === null);
            if (isGone) expect(entries.some(({ action }) => action === 'dropped')).toBe(true);
            for (const { action, target } of entries) expect(target === null).toBe(isGone || action === 'dropped');
          });
        }
        const targets = new Set(trace.flatMap(({ target }) => (target ? [`${target.message}.${target.block}`] : [])));
        payload.messages.forEach(({ content }, message) => content.forEach((_, block) => expect(targets).toContain(`${message}.${block}`)));
        expect(trace.every(({ action, source }) => (action === 'added') === (source === null))).toBe(true);
      }),
      runs(500),
    );
  });

  it('keeps thinking as the model signed it, or not at all', () => {
    fc.assert(
      fc.property(hostileTranscript, (messages) => {
        const signed = ({ type, thinking, signature, data }: Record<string, unknown>) => JSON.stringify({ type, thinking, signature, data });
        const isThinking = ({ type }: { readonly type: string }) => type === 'thinking' || type === 'redacted_thinking';
        const stored = new Set(
          messages
            .flatMap(contentBlocksOf)
            .filter(isThinking)
            .map((block) => signed({ ...block })),
        );
        for (const block of view(messages)
          .payload.messages.flatMap(({ content }) => content)
          .filter(isThinking)) {
          expect(stored).toContain(signed({ ...block }));
          expect(block).not.toHaveProperty('cache_control');
        }
      }),
      runs(),
    );
  });
});

describe('the view of a conversation that grows', () => {
  /** A turn asks the model when there is something to ask: the last thing it sees is the user's, and no placeholder alone. */
  const asks = ({ payload, trace }: BuiltPayload): boolean =>
    payload.messages.at(-1)?.role !== 'assistant' && trace.some(({ source, target }) => source !== null && target?.message === payload.messages.length - 1);

  /** Whether each answer left a message before the next user turn. */
  const isAnswered = ({ messages }: Orderly): boolean => {
    const sent = new Set(view(messages).trace.flatMap(({ source, target }) => (source && target ? [source.uuid] : [])));
    const answers = messages.filter((message) => message.type === 'assistant');
    const seen = new Set(answers.flatMap(({ uuid, message }) => (sent.has(uuid) ? [message.id] : [])));
    return answers.every(({ message }) => seen.has(message.id));
  };

  /** One line per block: a request continues another when its lines begin with those of the other. */
  const withLines = (made: BuiltPayload) => ({
    ...made,
    lines: unmarked(made.payload.messages).flatMap(({ role, content }, message) => content.map((block) => `${message} ${role} ${JSON.stringify(block)}`)),
  });

  const expectToGrow = ({ messages, requests }: Orderly, given: Partial<PayloadInput>): void => {
    const views = requests
      .map((length) => view(messages.slice(0, length), given))
      .filter(asks)
      .map(withLines);
    for (const [at, later] of views.entries()) {
      for (const earlier of views.slice(0, at)) expect(later.lines.slice(0, earlier.lines.length)).toEqual(earlier.lines);
      const before = views[at - 1];
      if (before) expect(comparePrefix(before.prefixDigests, later.prefixDigests)).toEqual({ shared: before.payload.messages.length });
    }
  };

  it('continues what earlier requests sent, block for block', () => {
    fc.assert(
      fc.property(orderlyConversation, (conversation) => expectToGrow(conversation, {})),
      runs(500),
    );
  });

  it.each(MODELS)('does so for %s, with names for messages and tool search on or off', (model) => {
    const given = fc.record({ tools: fc.constantFrom([], TOOLS), snip: fc.boolean(), search: fc.boolean(), advisor: fc.boolean() });
    fc.assert(
      fc.property(orderlyConversation, given, (conversation, { tools, snip, search, advisor }) => {
        expectToGrow(conversation, { model, tools, gates: { ...DEFAULT_NORMALIZE_GATES, 'history-snip': snip, 'tool-search': search, advisor } });
      }),
      runs(50),
    );
  });

  it.each(['claude-opus-5', 'claude-sonnet-5'])(
    'does so with messages of the system between the turns, as long as every request is answered, for %s',
    (model) => {
      fc.assert(
        fc.property(instructedConversation().filter(isAnswered), (conversation) => expectToGrow(conversation, { model })),
        runs(300),
      );
    },
  );

  it('does so with reminders folded into results, as long as every request is answered', () => {
    fc.assert(
      fc.property(conversationThatEndsIn('answer').filter(isAnswered), fc.constantFrom(...MODELS), (conversation, model) => {
        expectToGrow(conversation, { model, gates: { ...DEFAULT_NORMALIZE_GATES, 'system-reminder-folding': true } });
      }),
      runs(500),
    );
  });
});

it('a conversation of which nothing can be sent is reported, not made up', () => {
  const { payload } = buildPayload({ ...EMPTY, messages: [] }, noDigest);
  expect(payload.messages).toEqual([]);
  expect(checkRequest(payload, profileFor(MODEL)).map(({ rule }) => rule)).toEqual(['messages-empty']);
});

const EMPTY = {
  system: null,
  context: { project: 'Notes' },
  systemContext: {},
  tools: [],
  gates: DEFAULT_NORMALIZE_GATES,
  model: MODEL,
  maxTokens: 1_000,
};
