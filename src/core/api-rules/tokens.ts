import type { Stage } from './reading.js';

/** The context window, where the caller has counted the input (docs: Context windows). */
export const tokens: Stage = ({ body, profile, settings }, report) => {
  const input = settings.inputTokens;
  const window = profile.contextWindow;
  if (input === undefined) return;
  const relayed = profile.provider === 'bedrock' ? 'The model returned the following errors: ' : '';
  if (input > window) {
    report({
      rule: 'prompt-too-long',
      at: 'messages',
      text: `${relayed}prompt is too long: ${input} tokens > ${window} maximum`,
    });
    return;
  }
  const output = body['max_tokens'];
  if (!profile.refusesOverflow || typeof output !== 'number' || input + output <= window) return;
  const sum = `${input} + ${output} > ${window}, decrease input length or \`max_tokens\` and try again`;
  report({
    rule: 'context-overflow',
    at: 'max_tokens',
    text: `${relayed}input length and \`max_tokens\` exceed context limit: ${sum}`,
  });
};
