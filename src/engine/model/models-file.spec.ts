import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.js';
import { checkRequest } from '../../../packages/normalizer/api-rules/index.js';
import { buildPayload } from '../../../packages/normalizer/build-payload.js';
import { requestBetas } from '../../../packages/normalizer/models/betas.js';
import { FAMILIES, type Family } from '../../../packages/normalizer/models/families.js';
import { useOwnModels } from '../../../packages/normalizer/models/own-models.js';
import { costOf, LIST_PRICES, pricedFamilies, pricesOf } from '../../../packages/normalizer/models/prices.js';
import { isKnownModel, profileFor } from '../../../packages/normalizer/models/profiles.js';
import { DEFAULT_NORMALIZE_GATES } from '../../../packages/protocol/gates.js';
import { EFFORTS, type ModelOptions, THINKING_TYPES } from '../../../packages/protocol/message/model-options.js';
import { parseModelsFile, readModelsFile } from './models-file.js';

const parse = (models: unknown) => parseModelsFile(typeof models === 'string' ? models : JSON.stringify({ models }), '/etc/models.json');
const use = (models: object): void => useOwnModels(parse(models));

const members = {
  contextWindow: fc.integer({ min: 200_000, max: 5_000_000 }),
  maxOutputTokens: fc.integer({ min: 2_000, max: 200_000 }),
  prefill: fc.boolean(),
  systemRole: fc.boolean(),
  thinkingModes: fc.subarray([...THINKING_TYPES]).map((modes) => modes.toReversed()),
  thinkingOffAtTopEffort: fc.boolean(),
  thinksByDefault: fc.boolean(),
  omitsThinking: fc.boolean(),
  preservedThinking: fc.boolean(),
  otherModelThinking: fc.constantFrom('keep' as const, 'drop' as const),
  toolSearch: fc.boolean(),
  sampling: fc.constantFrom('one-of' as const, 'defaults-only' as const),
  forcedToolChoice: fc.constantFrom('rejected' as const, 'without-manual-thinking' as const),
  effortLevels: fc.subarray([...EFFORTS]).map((levels) => levels.toReversed()),
  rejectsOverflow: fc.boolean(),
};
const hasHigh = ({ effortLevels }: Partial<Family>): boolean =>
  !effortLevels || effortLevels.includes('high') || !effortLevels.some((level) => level === 'xhigh' || level === 'max');
/** Combinations that the file may have, whatever the family it is like. */
const family = fc
  .record(members, { requiredKeys: [] })
  .filter(hasHigh)
  .map((given): Partial<Family> => {
    if (given.thinkingModes && !given.thinkingModes.includes('adaptive')) return { ...given, thinksByDefault: false };
    return given.thinksByDefault ? { ...given, thinkingModes: given.thinkingModes ?? ['adaptive'] } : given;
  });
const like = fc.constantFrom(undefined, 'claude-opus-5-5', 'claude-opus-4-6');
const cents = fc.integer({ min: 0, max: 100_000 }).map((value) => value / 100);
const price = fc.record({ input: cents, output: cents, cacheRead: cents, cacheWrite: cents }, { requiredKeys: ['input', 'output'] });
const options = fc.record(
  {
    effort: fc.constantFrom(...EFFORTS),
    thinking: fc.record({ type: fc.constantFrom(...THINKING_TYPES), budget_tokens: fc.integer({ min: 1_024, max: 40_000 }) }, { requiredKeys: [] }),
    tool_choice: fc.constantFrom({ type: 'any' }, { type: 'tool', name: 'lookup' }),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<ModelOptions>;
const ids = fc.constantFrom('claude-opus-6', 'claude-opus-6-20270101', 'us.anthropic.claude-opus-6-v1:0', 'claude-opus-6@20270101', 'claude-opus-6[1m]');

describe('MODELS_FILE', () => {
  afterEach(() => useOwnModels([]));

  it('gives a model its limits, options and price on every provider, and no options make a request that such a model refuses', () => {
    fc.assert(
      fc.property(family, like, price, options, ids, (given, base, cost, wanted, model) => {
        use({ 'claude-opus-6': { ...given, ...(base ? { like: base } : {}), price: cost } });
        const profile = profileFor(model);
        const { systemRole, thinkingModes, effortLevels, ...rest } = given;
        expect(profile).toMatchObject({ ...rest, family: 'claude-opus-6' });
        expect(profile.name).toBe(`claude-opus-6/${profile.provider}`);
        if (thinkingModes) expect(new Set(profile.thinkingModes)).toEqual(new Set(thinkingModes));
        if (effortLevels) expect(profile.effortLevels).toEqual(EFFORTS.filter((level) => effortLevels.includes(level)));
        if (systemRole !== undefined && profile.provider !== 'bedrock') expect(profile.systemRole).toBe(systemRole);
        if (base !== undefined && given.contextWindow === undefined) expect(profile.contextWindow).toBe(profileFor(base).contextWindow);
        expect(pricesOf({})['claude-opus-6']).toMatchObject(cost);
        expect(costOf(pricesOf({}), profile.family, { input: 1e6, output: 1e6, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0 }) / 1e9).toBeCloseTo(
          cost.input + cost.output,
          6,
        );
        const input = { system: null, context: {}, systemContext: {}, gates: DEFAULT_NORMALIZE_GATES, model, maxTokens: 64_000, options: wanted };
        const messages = [{ type: 'user' as const, uuid: 'u', parentUuid: null, timestamp: '', content: 'hello' }];
        const { payload } = buildPayload({ ...input, messages, tools: [{ name: 'lookup', input_schema: { type: 'object' } }] }, () => '0'.repeat(64));
        expect(payload.max_tokens).toBe(Math.min(64_000, profile.maxOutputTokens));
        expect(checkRequest(payload, profile, { betas: requestBetas([], DEFAULT_NORMALIZE_GATES, model, payload) })).toEqual([]);
      }),
      runs(1_000),
    );
  });

  it('changes nothing for models that no entry is about, and nothing after it is taken away', () => {
    const others = [...Object.keys(FAMILIES).map((key) => `claude-${key}`), 'some-model', 'claude-opus-6'];
    const profiles = (): unknown => others.map((model) => profileFor(model));
    const before = profiles();
    use({ 'claude-opus-7*': { contextWindow: 5_000_000 }, gateway: { like: 'claude-opus-5' } });
    expect(isKnownModel('gateway')).toBe(true);
    expect(profiles()).toEqual(before);
    expect(pricesOf({})).toMatchObject(LIST_PRICES);
    useOwnModels([]);
    expect(isKnownModel('gateway')).toBe(false);
  });

  it('takes the name of a model before that of its family, that before a built-in family, and the longest beginning after those', () => {
    const window = (contextWindow: number) => ({ contextWindow });
    use({
      'claude-*': window(300_000),
      'claude-opus-*': window(400_000),
      'claude-opus-5': window(500_000),
      'claude-opus-5-20270101': window(600_000),
      'own:opus': { like: 'claude-opus-4-6' },
    });
    const found = (model: string) => [profileFor(model).family, profileFor(model).contextWindow];
    expect(found('claude-opus-5-20270101')).toEqual(['claude-opus-5-20270101', 600_000]);
    expect(found('claude-opus-5-20270202')).toEqual(['claude-opus-5', 500_000]);
    expect(found('claude-haiku-4-5')).toEqual(['claude-haiku-4-5', 200_000]);
    expect(found('claude-opus-9')).toEqual(['claude-opus-', 400_000]);
    expect(found('claude-next')).toEqual(['claude-', 300_000]);
    expect(found('other')).toEqual(['unknown', 200_000]);
    // What an entry leaves out is as in the family that it is like, or belongs to, the price included.
    expect(profileFor('claude-opus-5')).toMatchObject({ thinkingModes: ['adaptive', 'disabled'], maxOutputTokens: 128_000 });
    expect(pricesOf({})['own:opus']).toEqual(LIST_PRICES['claude-opus-4-6']);
    expect(pricesOf({ 'claude-opus-5': { input: 1, output: 2 } })['claude-opus-5-20270101']).toMatchObject({ input: 1, output: 2 });
    expect(pricesOf({})).not.toHaveProperty('claude-');
    expect(pricedFamilies()).toEqual(expect.arrayContaining(['own:opus', 'claude-opus-', 'claude-opus-5-20270101']));
  });

  it('names all of its faults, each with its place', () => {
    expect(() =>
      parse({
        a: { contextWindow: -1, price: { input: -2, output: 1 } },
        b: { window: 1, effortLevels: ['top'] },
        c: { like: 'claude-opus-77' },
        d: { maxOutputTokens: 300_000 },
        e: { thinkingModes: ['disabled'], thinksByDefault: true, effortLevels: ['max'] },
        f: 3,
        'g/h': {},
        i: {},
        'i*': {},
        '*': {},
        unknown: {},
      }),
    ).toThrow(
      expect.objectContaining({
        code: 'models_file_unusable',
        message: expect.stringMatching(
          /^MODELS_FILE \/etc\/models\.json is not usable:\n {2}models\.a\.contextWindow: .*\n {2}models\.a\.price\.input: .*\n {2}models\.b\.effortLevels\.0: .*\n {2}models\.b: .*window.*\n {2}models\.c\.like: must be a built-in family.*\n {2}models\.d\.maxOutputTokens: is 300000.*\n {2}models\.e\.thinksByDefault: .*\n {2}models\.e\.effortLevels: .*\n {2}models\.f: .*\n {2}models\.g\/h: .*\n {2}models\.i\*: .*\n {2}models\.\*: .*\n {2}models\.unknown: .*$/,
        ),
      }),
    );
    expect(() => parse('{')).toThrow('MODELS_FILE /etc/models.json is not JSON');
    expect(() => parse('{"model":{}}')).toThrow(/models: .*\n.*model/);
    expect(() => readModelsFile('/nowhere/models.json')).toThrow('MODELS_FILE /nowhere/models.json cannot be read (ENOENT).');
  });
});
