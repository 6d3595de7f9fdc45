import type { Stage } from './parsed-request.js';

/** The context window. Checked only when the caller passes `inputTokens` (docs: Context windows). */
export const tokens: Stage = ({ body, profile, settings }, report) => {
  const input = settings.inputTokens;
  const window = profile.contextWindow;
  if (input === undefined) return;
  const prefix = profile.provider === 'bedrock' ? 'The model returned the following errors: ' : '';
  if (input > window) {
    report({
      rule: 'prompt-too-long',
      at: 'messages',
      text: `${prefix}prompt is too long: ${input} tokens > ${window} maximum`,
    });
    return;
  }
  const output = body['max_tokens'];
  if (!profile.rejectsOverflow || typeof output !== 'number' || input + output <= window) return;
  const sum = `${input} + ${output} > ${window}, decrease input length or \`max_tokens\` and try again`;
  report({
    rule: 'context-overflow',
    at: 'max_tokens',
    text: `${prefix}input length and \`max_tokens\` exceed context limit: ${sum}`,
  });
};
