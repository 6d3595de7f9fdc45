import type { StoredMessage } from '../../../packages/protocol/message/message.js';
import type { NewEvent } from '../../../packages/protocol/events/events.js';
import type { SessionState, Turn } from '../state/state.js';
import type { Draft } from '../../../packages/protocol/message/draft.js';

/** Appends drafts after the head, each the parent of the next. */
export function appendMessages(state: SessionState, drafts: readonly Draft[], turn: Turn | null): readonly NewEvent[] {
  let parentUuid = state.head;
  return drafts.map((draft) => {
    const message = { ...draft, parentUuid } as StoredMessage;
    parentUuid = draft.uuid;
    const own = turn && state.prompts.get(turn.promptId)?.submission.uuid === draft.uuid;
    return {
      type: 'message.appended',
      data: { message, turnId: turn?.turnId ?? null, ...(own ? { promptId: turn.promptId } : {}) },
    };
  });
}
