import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { Message } from '../../packages/protocol/message/message.js';
import { contentBlocksOf } from '../../packages/protocol/message/message-content.js';
import { profileFor } from '../../packages/normalizer/models/profiles.js';
import { checkRequest } from '../../packages/normalizer/api-rules/index.js';
import type { BuiltPayload, PayloadInput } from '../../packages/normalizer/build-payload.js';
import type { PayloadMessage } from '../../packages/normalizer/payload.js';
import { readMessages } from '../../packages/normalizer/plain-message.js';
import { view } from '../support/normalize/build.js';
import { hostileTranscript } from '../support/normalize/hostile.js';
import { anyGates } from '../support/normalize/gates.js';
import { MODELS } from '../support/normalize/models.js';
import { runs } from '../support/property-runs.js';

/** 24,000 conversations in batches; `PROPERTY_RUNS` above 1,000 raises each batch. */
const BATCHES = 24;
const PER_BATCH = 1_000;

const settings = fc.record({
  model: fc.constantFrom(...MODELS),
  tools: fc.constantFrom([], [{ name: 'Read', input_schema: { type: 'object' } }]),
  signedPrefixes: fc.constantFrom(undefined, {}),
  gates: anyGates,
});

const unmarked = (messages: readonly PayloadMessage[]): string =>
  JSON.stringify(messages, (key, value: unknown) => (key === 'cache_control' ? undefined : value));

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

const problemsOf = ({ payload }: BuiltPayload) => checkRequest(payload, profileFor(payload.model)).filter(({ rule }) => rule !== 'messages-empty');

function untraced(messages: readonly Message[], { trace }: BuiltPayload): readonly string[] {
  const traced = new Set(trace.flatMap(({ source }) => (source ? [`${source.uuid} ${source.index}`] : [])));
  return messages.flatMap((message) => {
    const isRead = ['user', 'assistant', 'attachment', 'system'].includes(message.type);
    const blocks = Math.max(contentBlocksOf(message).length, isRead ? 1 : 0);
    return Array.from({ length: blocks }, (_, index) => `${message.uuid} ${index}`).filter((block) => !traced.has(block));
  });
}

describe('conversations with every kind of damage', () => {
  it.each(Array.from({ length: BATCHES }, (_, batch) => batch + 1))(
    'are accepted by the model API, traced, stable when normalized again, and not mutated (batch %s)',
    (batch) => {
      fc.assert(
        fc.property(hostileTranscript, settings, (messages, given: Partial<PayloadInput>) => {
          const built = view(frozen(messages), given);
          expect(problemsOf(built)).toEqual([]);
          expect(untraced(messages, built)).toEqual([]);
          const read = readMessages(JSON.parse(unmarked(built.payload.messages)));
          const again = view(read, given);
          expect(unmarked(again.payload.messages)).toBe(unmarked(built.payload.messages));
          // A message of the role `system` is read as an attachment, which the passes make that message of.
          const ofSystem = new Set(read.flatMap(({ type, uuid }) => (type === 'attachment' ? [uuid] : [])));
          expect(ofSystem.size).toBe(built.payload.messages.filter(({ role }) => role === 'system').length);
          expect(again.trace.filter(({ action, source }) => action !== 'kept' && !ofSystem.has(source?.uuid ?? ''))).toEqual([]);
        }),
        runs(PER_BATCH, batch),
      );
    },
  );
});
