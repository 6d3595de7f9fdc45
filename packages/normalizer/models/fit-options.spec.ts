import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MODELS } from '../../../test/support/normalize/models.js';
import { runs } from '../../../test/support/property-runs.js';
import { checkRequest } from '../api-rules/index.js';
import { DEFAULT_NORMALIZE_GATES } from '../../protocol/gates.js';
import { EFFORTS, type ModelOptions, THINKING_DISPLAYS, THINKING_TYPES } from '../../protocol/message/model-options.js';
import type { Message } from '../../protocol/message/message.js';
import { type BuiltPayload, buildPayload } from '../build-payload.js';
import { requestBetas } from './betas.js';
import { profileFor } from './profiles.js';

const some = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });
const present = (value: object): object => Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
const members = (model: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<object> =>
  fc.record(Object.fromEntries(Object.entries(model).map(([name, arbitrary]) => [name, some(arbitrary)]))).map(present);

const options = members({
  effort: fc.constantFrom(...EFFORTS),
  thinking: members({
    type: fc.constantFrom(...THINKING_TYPES),
    budget_tokens: fc.integer({ min: 1_024, max: 40_000 }),
    display: fc.constantFrom(...THINKING_DISPLAYS),
  }),
  tool_choice: fc.constantFrom({ type: 'auto' }, { type: 'any' }, { type: 'none' }, { type: 'tool', name: 'lookup' }, { type: 'tool', name: 'web_search' }),
  stop_sequences: fc.array(fc.constantFrom('END', '###'), { maxLength: 2 }),
  server_tools: fc.subarray([
    { type: 'web_search_20250305', name: 'web_search', max_uses: 3 },
    { type: 'web_search_20260209', name: 'web_search' },
    { type: 'code_execution_20250825', name: 'code_execution' },
  ]),
  fallbacks: fc.constantFrom('default', [], [{ model: 'claude-opus-4-8' }]),
}) as fc.Arbitrary<ModelOptions>;

const messages: readonly Message[] = [{ type: 'user', uuid: 'u', parentUuid: null, timestamp: '', content: 'hello' }];
const lookup = { name: 'lookup', input_schema: { type: 'object' } };

function built(given: ModelOptions | undefined, model: string, { maxTokens = 32_000, tools = [lookup] } = {}): BuiltPayload {
  const input = { messages, system: null, context: {}, systemContext: {}, tools, gates: DEFAULT_NORMALIZE_GATES, model, maxTokens };
  return buildPayload({ ...input, ...(given === undefined ? {} : { options: given }) }, () => '0'.repeat(64));
}

const MANY = [...MODELS, 'anthropic.claude-opus-5-v1:0', 'claude-opus-5@20260801', 'some-other-model'];

describe('model options', () => {
  it('never make a request that the model API refuses, whatever the model', () => {
    fc.assert(
      fc.property(options, fc.constantFrom(...MANY), fc.constantFrom(1_000, 4_000, 32_000), fc.boolean(), (given, model, maxTokens, hasTools) => {
        const { payload } = built(given, model, { maxTokens, tools: hasTools ? [lookup] : [] });
        const betas = requestBetas([], DEFAULT_NORMALIZE_GATES, model, payload);
        expect(checkRequest(payload, profileFor(model), { betas })).toEqual([]);
      }),
      runs(3_000),
    );
  });

  it('are in the request as they were asked for, or the request says what it has instead', () => {
    fc.assert(
      fc.property(options, fc.constantFrom(...MANY), (given, model) => {
        const { payload, changedOptions } = built(given, model);
        const told = (option: string): boolean => changedOptions.some((changed) => changed.option.startsWith(option));
        const same = (option: string, wanted: unknown, sent: unknown): void => {
          if (wanted !== undefined && JSON.stringify(wanted) !== '[]' && !told(option)) expect(sent).toEqual(wanted);
        };
        same('effort', given.effort, payload.output_config?.effort);
        same('thinking.type', given.thinking?.type, payload.thinking?.type);
        same('thinking.display', given.thinking?.display, payload.thinking?.display);
        same('tool_choice', given.tool_choice, payload.tool_choice);
        same('stop_sequences', given.stop_sequences, payload.stop_sequences);
        same('fallbacks', given.fallbacks, payload.fallbacks);
        if (payload.thinking?.type === 'enabled' && !told('thinking')) same('thinking.budget', given.thinking?.budget_tokens, payload.thinking.budget_tokens);
        given.server_tools?.forEach((tool, index) => {
          if (!told(`server_tools.${index}`)) expect(payload.tools).toContainEqual(expect.objectContaining(tool));
        });
      }),
      runs(2_000),
    );
  });

  it('ask for a summary of thinking where it would come back empty, and for nothing where the model does not think by itself', () => {
    expect(built({}, 'claude-sonnet-5-5').payload.thinking).toEqual({ type: 'adaptive', display: 'summarized' });
    expect(built({}, 'claude-opus-5').payload.thinking).toEqual({ type: 'adaptive', display: 'summarized' });
    for (const model of ['claude-opus-4-7', 'claude-opus-4-5', 'some-other-model']) expect(built({}, model).payload).not.toHaveProperty('thinking');
    expect(built({ thinking: { type: 'adaptive' } }, 'claude-opus-4-7').payload.thinking).toEqual({ type: 'adaptive', display: 'summarized' });
    expect(built({ thinking: { display: 'omitted' } }, 'claude-sonnet-5-5').payload.thinking).toEqual({ type: 'adaptive', display: 'omitted' });
    expect(built(undefined, 'claude-sonnet-5-5').payload).not.toHaveProperty('thinking');
  });

  it.each([
    ['claude-opus-4-6', { effort: 'xhigh' }, { output_config: { effort: 'high' } }],
    ['claude-sonnet-4-5', { effort: 'low' }, {}],
    ['claude-opus-4-5', { thinking: { type: 'adaptive' } }, { thinking: { type: 'enabled', budget_tokens: 16_000 } }],
    ['claude-opus-4-8', { thinking: { type: 'enabled', budget_tokens: 5_000 } }, { thinking: { type: 'adaptive', display: 'summarized' } }],
    ['claude-sonnet-5-5', { thinking: { type: 'disabled' }, effort: 'max' }, { thinking: { type: 'between_tools' }, output_config: { effort: 'high' } }],
    ['claude-fable-5', { thinking: { type: 'disabled' } }, { thinking: { type: 'adaptive', display: 'summarized' } }],
  ] as const)('of %s become what comes nearest', (model, given, sent) => {
    const { payload, changedOptions } = built(given, model);
    const { thinking, output_config } = payload;
    expect({ ...(thinking ? { thinking } : {}), ...(output_config ? { output_config } : {}) }).toEqual(sent);
    expect(changedOptions.length).toBeGreaterThan(0);
  });
});
