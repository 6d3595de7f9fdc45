import type { Usage } from '../message/message.js';
import type { SessionState } from '../session/state.js';
import { roughTokens } from './estimate.js';
import { isBoundary } from './segments.js';

/**
 * Tokens of the context window in use: the provider's count for the last answer of the branch and its input, plus an approximation for the messages after it. Null when
 * nothing was counted since the last compaction. Reads no further back than that answer.
 */
export function tokensInUse(state: SessionState): number | null {
  let since = 0;
  for (let uuid = state.head; uuid !== null;) {
    const message = state.messages.get(uuid)?.message;
    if (!message || isBoundary(message)) return null;
    if (message.type === 'assistant' && !message.isVirtual && !message.isApiErrorMessage) {
      const counted = total(message.message.usage);
      if (counted > 0) return counted + since;
    }
    since += roughTokens(message);
    uuid = message.parentUuid;
  }
  return null;
}

function total(usage: Usage | undefined): number {
  const counts = [usage?.input_tokens, usage?.cache_read_input_tokens, usage?.cache_creation_input_tokens, usage?.output_tokens];
  return counts.reduce<number>((sum, count) => sum + (typeof count === 'number' ? count : 0), 0);
}
