import type { Profile } from '../view/profiles.js';
import type { Problem } from './problem.js';
import type { JsonObject, Stage } from './reading.js';

/** The context window, where the caller has counted the input (docs: Context windows). */
export const tokens: Stage = ({ body, profile, settings }, report) => {
  const problem = settings.inputTokens === undefined ? null : windowProblem(body, profile, settings.inputTokens);
  if (problem) report(problem);
};

/** What the API says of a request, fine otherwise, whose input comes to so many tokens; null when there is room for it. */
export function windowProblem(body: JsonObject, profile: Pick<Profile, 'contextWindow' | 'provider' | 'refusesOverflow'>, input: number): Problem | null {
  const window = profile.contextWindow;
  const relayed = profile.provider === 'bedrock' ? 'The model returned the following errors: ' : '';
  if (input > window) return { rule: 'prompt-too-long', at: 'messages', text: `${relayed}prompt is too long: ${input} tokens > ${window} maximum` };
  const output = body['max_tokens'];
  if (!profile.refusesOverflow || typeof output !== 'number' || input + output <= window) return null;
  const sum = `${input} + ${output} > ${window}, decrease input length or \`max_tokens\` and try again`;
  return { rule: 'context-overflow', at: 'max_tokens', text: `${relayed}input length and \`max_tokens\` exceed context limit: ${sum}` };
}
