import { older, request, text, tool, user, type Row } from '../row.js';

const q = user(text('q'));
const forced = { tools: [tool('look')], tool_choice: { type: 'any' } };
const manual = { thinking: { type: 'enabled', budget_tokens: 1024 }, max_tokens: 2048 };
/** The version of the API that has sampling parameters. */
const sampling = { settings: { apiVersion: '2023-06-01' }, fixedSettings: { apiVersion: '2023-06-01' } } as const;
const ADAPTIVE = 'Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.';

export const PARAMETERS: readonly Row[] = [
  {
    rule: 'max-tokens-over-model-limit',
    body: request([q], { model: 'claude-haiku-4-5-20251001', max_tokens: 128_000 }),
    fixed: request([q], { model: 'claude-haiku-4-5-20251001', max_tokens: 64_000 }),
    at: 'max_tokens',
    text: 'max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens for claude-haiku-4-5-20251001',
  },
  {
    rule: 'cache-prewarm-conflict',
    body: request([q], { max_tokens: 0, stream: true }),
    fixed: request([q], { max_tokens: 0 }),
    at: 'max_tokens',
    text: '[stand-in] max_tokens: 0 cannot be combined with `stream`',
  },
  {
    rule: 'sampling-not-supported',
    ...sampling,
    body: request([q], { temperature: 0 }),
    fixed: request([q], { temperature: 1, top_p: 0.99 }),
    at: 'temperature',
    text: '[stand-in] temperature: only the default value is supported on this model',
  },
  {
    rule: 'sampling-not-supported',
    when: 'temperature and top_p on a model that accepts one',
    ...sampling,
    body: older([q], { temperature: 0, top_p: 0.5 }),
    fixed: older([q], { temperature: 0 }),
    at: 'top_p',
    text: '[stand-in] top_p: cannot be set together with `temperature` on this model',
  },
  {
    rule: 'temperature-with-thinking',
    ...sampling,
    body: older([q], { ...manual, temperature: 0 }),
    fixed: older([q], { ...manual, temperature: 1 }),
    at: 'temperature',
    text: '`temperature` may only be set to 1 when thinking is enabled.',
  },
  {
    rule: 'effort-not-supported',
    body: request([q], { model: 'claude-opus-4-6', output_config: { effort: 'xhigh' } }),
    fixed: request([q], { model: 'claude-opus-4-6', output_config: { effort: 'max' } }),
    at: 'output_config.effort',
    text: "This model does not support effort level 'xhigh'. Supported levels: high, low, max, medium.",
  },
  {
    rule: 'thinking-mode-not-supported',
    when: 'enabled on a model with adaptive thinking only',
    body: request([q], manual),
    fixed: older([q], manual),
    at: 'thinking.type',
    text: `"thinking.type.enabled" is not supported for this model. ${ADAPTIVE}`,
  },
  {
    rule: 'thinking-mode-not-supported',
    when: 'disabled on a model that always thinks',
    body: request([q], { model: 'claude-opus-5-5', thinking: { type: 'disabled' } }),
    fixed: request([q], { model: 'claude-haiku-5-5', thinking: { type: 'disabled' } }),
    at: 'thinking.type',
    text: `"thinking.type.disabled" is not supported for this model. ${ADAPTIVE}`,
  },
  {
    rule: 'thinking-mode-not-supported',
    when: 'disabled on a model with between_tools',
    body: request([q], { thinking: { type: 'disabled' } }),
    fixed: request([q], { thinking: { type: 'between_tools' } }),
    at: 'thinking.type',
    text: 'To turn thinking off on this model, send "thinking": {"type": "between_tools"} instead of {"type": "disabled"}.',
  },
  {
    rule: 'thinking-mode-not-supported',
    when: 'disabled at effort max',
    body: request([q], { model: 'claude-opus-5', thinking: { type: 'disabled' }, output_config: { effort: 'max' } }),
    fixed: request([q], { model: 'claude-opus-5', thinking: { type: 'disabled' }, output_config: { effort: 'high' } }),
    at: 'thinking.type',
    text: '[stand-in] "thinking.type.disabled" is not supported at effort \'max\' on this model',
  },
  {
    rule: 'thinking-mode-not-supported',
    when: 'adaptive on a model without it',
    body: older([q], { thinking: { type: 'adaptive' } }),
    fixed: request([q], { thinking: { type: 'adaptive' } }),
    at: 'thinking.type',
    text: 'adaptive thinking is not supported on this model',
  },
  {
    rule: 'thinking-budget-over-max-tokens',
    body: older([q], { ...manual, max_tokens: 1024 }),
    fixed: older([q], { ...manual, max_tokens: 1025 }),
    at: 'max_tokens',
    text: '`max_tokens` must be greater than `thinking.budget_tokens`.',
  },
  {
    rule: 'forced-tool-choice-not-supported',
    body: request([q], forced),
    fixed: request([q], { ...forced, model: 'claude-opus-5' }),
    at: 'tool_choice.type',
    text: 'tool_choice: type "tool" and "any" are not supported for this model.',
  },
  {
    rule: 'forced-tool-choice-with-thinking',
    body: older([q], { ...manual, ...forced }),
    fixed: older([q], forced),
    at: 'tool_choice.type',
    text: 'Thinking may not be enabled when tool_choice forces tool use.',
  },
  {
    rule: 'prompt-too-long',
    body: older([q]),
    settings: { inputTokens: 213_462 },
    fixed: older([q]),
    fixedSettings: { inputTokens: 200_000 },
    at: 'messages',
    text: 'prompt is too long: 213462 tokens > 200000 maximum',
  },
  {
    rule: 'context-overflow',
    body: request([q], { model: 'claude-opus-4-1', max_tokens: 32_000 }),
    settings: { inputTokens: 188_240 },
    fixed: request([q], { model: 'claude-opus-4-5', max_tokens: 32_000 }),
    fixedSettings: { inputTokens: 188_240 },
    at: 'max_tokens',
    text: 'input length and `max_tokens` exceed context limit: 188240 + 32000 > 200000, decrease input length or `max_tokens` and try again',
  },
];
