import type { ModelOptions } from '../../../packages/protocol/message/model-options.js';
import type { SessionState } from './state.js';

/** The options of the session's next request: those of the prompt of the turn, and the session's for what the prompt does not set. */
export function optionsInForce(state: SessionState): ModelOptions {
  const { turn, prompts, settings } = state;
  const own = turn ? prompts.get(turn.promptId)?.submission.modelOptions : undefined;
  const { tool_choice: choice, ...options } = { ...settings.modelOptions, ...own };
  if (choice === undefined || (isForced(choice.type) && hasAnswered(state))) return options;
  return { ...options, tool_choice: choice };
}

const isForced = (type: string): boolean => type === 'any' || type === 'tool';

const hasAnswered = ({ turn, requests }: SessionState): boolean =>
  (turn?.requestIds ?? []).some((id) => {
    const request = requests.get(id);
    return request?.status === 'completed' && request.sent.purpose === undefined;
  });
