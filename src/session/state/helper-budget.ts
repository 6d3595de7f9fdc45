import { helperTurn } from './helper.js';
import type { SessionState } from './state.js';
import { tokensOf } from './usage.js';

/** Why the helper may make no further request in its turn; null: it may. */
export function budgetSpent(state: SessionState): string | null {
  const { parent, turn, requests } = state;
  if (parent === null || turn === null || helperTurn(state) !== turn) return null;
  if (turn.requestIds.length >= parent.requests) return `The helper has made ${turn.requestIds.length} model requests, which is its limit.`;
  const tokens = turn.requestIds.reduce((sum, id) => {
    const { input, output, cacheWrite, cacheWriteHour } = tokensOf(requests.get(id)?.usage ?? {});
    return sum + input + output + cacheWrite + cacheWriteHour;
  }, 0);
  return tokens >= parent.tokens ? `The helper has used ${tokens} tokens; its limit is ${parent.tokens}.` : null;
}
