import { describe, expect, it } from '@jest/globals';
import type { PayloadInput } from '../../packages/normalizer/build-payload.js';
import type { Payload } from '../../packages/normalizer/payload.js';
import { checkRequest } from '../../packages/normalizer/api-rules/index.js';
import { readMessages } from '../../packages/normalizer/plain-message.js';
import { profileFor } from '../../packages/normalizer/models/profiles.js';
import { MODELS } from '../support/normalize/models.js';
import { view } from '../support/normalize/build.js';
import { toldOf, turnsOf, type Case } from './cases/case.js';
import { CASES } from './cases/index.js';
import { DEFAULT_NORMALIZE_GATES, NORMALIZE_GATES } from '../../packages/protocol/gates.js';

const payloadInput = ({ messages, settings }: Case, changes: Partial<PayloadInput> = {}) =>
  view(readMessages(messages), { cacheMarkers: false, ...settings, ...changes });
const rulesOf = (payload: Payload) => checkRequest(payload, profileFor(payload.model)).map(({ rule }) => rule);
const rows = CASES.map((one) => [one.name, one] as const);

describe('what becomes of conversations as people hand them in', () => {
  it.each(rows)('%s', (_name, one) => {
    const { payload, trace } = payloadInput(one);
    expect(payload.messages).toEqual(turnsOf(one));
    expect(toldOf(trace, readMessages(one.messages))).toEqual(one.told);
    if (one.reasons) expect(trace.flatMap(({ action, reason }) => (action === 'dropped' ? [reason] : []))).toEqual(one.reasons);
    expect(rulesOf(payload)).toEqual(one.problems ?? []);
  });

  it('each is told by its own name', () => {
    expect(new Set(CASES.map(({ name }) => name)).size).toBe(CASES.length);
  });
});

describe('whatever is handed in', () => {
  const allGates = NORMALIZE_GATES.filter((gate) => gate !== 'advisor').map((gate) => ({ ...DEFAULT_NORMALIZE_GATES, [gate]: true }));

  it.each(rows)('is fit for every model, under each gate: %s', (_name, one) => {
    const expected = JSON.stringify(one.problems ?? []);
    const checked = MODELS.flatMap((model) =>
      [DEFAULT_NORMALIZE_GATES, ...allGates].map((gates) => ({ model, gates, rules: rulesOf(payloadInput(one, { model, gates }).payload) })),
    );
    expect(checked.filter(({ rules }) => JSON.stringify(rules) !== expected)).toEqual([]); // one comparison: thousands of them take longer than the payloads
  });

  it.each(rows)('gives the same bytes again, and does not change when it comes back: %s', (_name, one) => {
    const once = payloadInput(one);
    expect(payloadInput(structuredClone(one)).body).toBe(once.body);
    expect(payloadInput({ ...one, messages: once.payload.messages }).body).toBe(once.body);
  });

  it.each(rows)('carries few cache markers, none on thinking, and nothing else differs: %s', (_name, one) => {
    const bare = payloadInput(one);
    const marked = payloadInput(one, { cacheMarkers: true });
    const blocks = marked.payload.messages.flatMap(({ content }) => content);
    expect(blocks.filter((block) => 'cache_control' in block).map(({ type }) => type)).not.toContain('thinking');
    expect(marked.body.split('"cache_control"').length - 1).toBeLessThanOrEqual(3);
    expect(JSON.parse(marked.body, (key, value: unknown) => (key === 'cache_control' ? undefined : value))).toEqual(JSON.parse(bare.body));
    expect(marked.prefixDigests).toEqual(bare.prefixDigests);
  });

  it('goes out as it came at every point where the user has spoken, if it was in order', () => {
    const inOrder = CASES.filter(({ told, messages }) => told.length === 0 && messages.length > 0);
    expect(inOrder.length).toBeGreaterThan(3);
    for (const one of inOrder) {
      for (let end = 1; end <= one.messages.length; end += 2) {
        const { payload, trace } = payloadInput({ ...one, messages: one.messages.slice(0, end) });
        expect(payload.messages).toEqual(turnsOf(one).slice(0, end));
        expect(trace.every(({ action }) => action === 'kept')).toBe(true);
      }
    }
  });
});
