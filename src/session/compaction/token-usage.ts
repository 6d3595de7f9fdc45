import type { Usage } from '../../../packages/protocol/message/message.js';
import type { SessionState } from '../state/state.js';
import { roughTokens } from './estimate.js';
import { isBoundary } from '../../../packages/normalizer/segments.js';

/**
 * Tokens of the context window in use: the provider's count for the last answer of the branch and its input, plus an approximation for the messages after it. Null when
 * nothing was counted since the last compaction. Reads no further back than that answer.
 */
export function tokensInUse(state: SessionState): number | null {
  const { counted, since } = measured(state);
  return counted === null ? null : counted + since;
}

/** By how much the approximation may usually be too large: few texts have on average more than twice as many characters a token. */
const MOST_TOO_LARGE = 2;

/** Whether a conversation of which nothing was counted, such as an imported one, is very likely larger than the window, so that a request for an answer would be in vain. */
export function hardlyFits(state: SessionState, window: number): boolean {
  const { counted, since, isWhole } = measured(state);
  return counted === null && isWhole && since > MOST_TOO_LARGE * window;
}

interface Measured {
  /** For the last answer and its input. */
  readonly counted: number | null;
  /** Approximation of the messages after it. */
  readonly since: number;
  /** Nothing was counted, and there is no compaction: `since` is for all messages. */
  readonly isWhole: boolean;
}

function measured(state: SessionState): Measured {
  let since = 0;
  for (let uuid = state.head; uuid !== null;) {
    const message = state.messages.get(uuid)?.message;
    if (!message || isBoundary(message)) return { counted: null, since, isWhole: false };
    if (message.type === 'assistant' && !message.isVirtual && !message.isApiErrorMessage) {
      const counted = total(message.message.usage);
      if (counted > 0) return { counted, since, isWhole: false };
    }
    since += roughTokens(message);
    uuid = message.parentUuid;
  }
  return { counted: null, since, isWhole: true };
}

function total(usage: Usage | undefined): number {
  const counts = [usage?.input_tokens, usage?.cache_read_input_tokens, usage?.cache_creation_input_tokens, usage?.output_tokens];
  return counts.reduce<number>((sum, count) => sum + (typeof count === 'number' ? count : 0), 0);
}
