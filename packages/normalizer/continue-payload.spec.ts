import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MODEL, sha256 } from '../../test/support/normalize/build.js';
import { anyGates } from '../../test/support/normalize/gates.js';
import { hostileTranscript, orderlyConversation } from '../../test/support/normalize/hostile.js';
import { runs } from '../../test/support/property-runs.js';
import { DEFAULT_NORMALIZE_GATES } from '../protocol/gates.js';
import type { RequestPrefix } from '../protocol/events/events.js';
import type { Message } from '../protocol/message/message.js';
import { checkRequest } from './api-rules/index.js';
import { type BuiltPayload, buildPayload, type PayloadInput, sentMessages } from './build-payload.js';
import { profileFor } from './models/profiles.js';
import { comparePrefix } from './prefix.js';

const inputOf = (messages: readonly Message[], changes: Partial<PayloadInput> = {}): PayloadInput => ({
  ...{ messages, system: null, context: { place: 'here' }, systemContext: {}, tools: [{ name: 'Read', input_schema: { type: 'object' } }] },
  ...{ gates: DEFAULT_NORMALIZE_GATES, model: MODEL, maxTokens: 1_000 },
  ...changes,
});

const whole = (input: PayloadInput): BuiltPayload => buildPayload(input, sha256);
const after = (before: PayloadInput, view: BuiltPayload, input: PayloadInput): BuiltPayload =>
  buildPayload(input, sha256, false, undefined, sentMessages(before, view));

const isPrefix = (one: BuiltPayload, other: BuiltPayload): boolean => comparePrefix(one.prefixDigests, other.prefixDigests).brokenAt === undefined;

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
  it('equals the payload of the whole conversation wherever that begins with what was sent, and begins with what was sent', () => {
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
            expect(next.prefixDigests.messages.slice(0, keep)).toEqual(view.prefixDigests.messages);
            if (isPrefix(view, all)) {
              expect(next.body).toBe(all.body);
              expect(next.prefixDigests).toEqual(all.prefixDigests);
              expect(targets(next.trace, keep)).toEqual(targets(all.trace, keep));
            }
            if (problems(all).length === 0) expect(problems(next)).toEqual([]);
          } else expect(next.body).toBe(all.body);
          [before, view] = [input, next];
        }
      }),
      runs(300),
    );
    expect(continued).toBeGreaterThan(0);
  });
});
