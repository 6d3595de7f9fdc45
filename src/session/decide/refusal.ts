import type { Json } from '../../../packages/protocol/message/content.js';
import type { Draft } from '../../../packages/protocol/message/draft.js';
import { deriveId } from '../../../packages/protocol/message/ids.js';
import type { ModelMessage, StoredMessage } from '../../../packages/protocol/message/message.js';
import { isStanding } from '../../../packages/protocol/message/standing.js';
import { isObject } from '../../../packages/protocol/message/unknown-json.js';
import { isBoundary } from '../../../packages/normalizer/segments.js';
import type { SessionState, Turn } from '../state/state.js';

/** What the API said about a refusal; null: nothing. */
export const stopDetailsOf = ({ stop_details }: ModelMessage): Json => (isObject(stop_details) ? (stop_details as Json) : null);

/**
 * The note of a refusal, for readers. It takes the turn back: prompt, calls, results and answer stay in the log and are left out of later requests. Standing
 * context, context of the start of the session and summaries belong to the session, not to the turn. `keepsPrompt`: only the answer is taken back.
 */
export function refusalNote(answer: readonly Draft[], message: ModelMessage, state: SessionState, turn: Turn, at: string, keepsPrompt: boolean): Draft {
  const before = keepsPrompt ? [] : turn.messages.flatMap((uuid) => state.messages.get(uuid)?.message ?? []).filter(isOfTurn);
  const details = stopDetailsOf(message);
  const explanation = isObject(details) && typeof details['explanation'] === 'string' ? `: ${details['explanation']}` : '.';
  const taken = keepsPrompt ? 'This answer is' : 'The prompt and this answer are';
  return {
    type: 'system',
    uuid: deriveId(answer[0]!.uuid, 'refusal'),
    timestamp: at,
    subtype: 'refusal',
    level: 'warning',
    content: `The model declined to answer${explanation}\n${taken} not part of later requests.`,
    withdraws: [...before, ...answer].map(({ uuid }) => uuid),
  };
}

function isOfTurn(message: StoredMessage): boolean {
  if (message.type === 'attachment') {
    const { type, hookEvent } = message.attachment;
    return !isStanding(message) && type !== 'invoked_skills' && hookEvent !== 'SessionStart';
  }
  return !isBoundary(message) && !(message.type === 'user' && message.isCompactSummary);
}
