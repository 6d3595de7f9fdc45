import { openingMessage } from '../prompt/construct.js';
import { userMessage, type Draft } from '../../../packages/protocol/message/draft.js';
import { deriveId } from '../../../packages/protocol/message/ids.js';
import type { ModelMessage } from '../../../packages/protocol/message/message.js';
import { INTERRUPTED, INTERRUPTED_FOR_TOOL_USE, OUTCOME_UNKNOWN } from '../../../packages/protocol/message/wire-texts.js';
import { appendMessages } from './append-messages.js';
import { cancelledText, closedCall } from './closed-calls.js';
import type { Failure, NewEvent } from '../../../packages/protocol/events/events.js';
import type { SessionState, Turn } from '../state/state.js';
import { openCalls } from '../state/tool-calls.js';
import type { PromptGates } from '../../../packages/protocol/gates.js';

/** The turn's last event, and the start of the next queued prompt. Every end of a turn uses this, so the queue always drains. */
export function endTurn(state: SessionState, end: NewEvent): readonly NewEvent[] {
  const next = state.queue[0];
  return next ? [end, { type: 'turn.started', data: { turnId: next.turnId, promptId: next.promptId } }] : [end];
}

export function failTurn(state: SessionState, turn: Turn, error: Failure): readonly NewEvent[] {
  return endTurn(state, { type: 'turn.failed', data: { turnId: turn.turnId, error } });
}

/** Result of a call whose helper is interrupted with the turn. */
const HELPER_INTERRUPTED = 'The helper was interrupted before it ended. What it had done until then remains done.';

export interface InterruptedWork {
  /** The part of the current answer that had arrived. */
  readonly partial: ModelMessage | null;
  readonly at: string;
  readonly durationMs: number;
  /** A fresh uuid, from which the ids of the messages are derived. */
  readonly seed: string;
  readonly gates: PromptGates;
  /** Messages of calls that just ended, by call id. */
  readonly ended?: ReadonlyMap<string, readonly Draft[]>;
}

/** Started calls without an outcome: their worker was lost, their tool did not stop, or their helper has not ended. Every started call of an ended turn has one outcome. */
function lostCalls(turn: Turn, open: ReturnType<typeof openCalls>): readonly NewEvent[] {
  return open.flatMap(({ toolUseId, startedAt, helper, endedAt }): readonly NewEvent[] => {
    const call = turn.calls.get(toolUseId);
    if (!call || startedAt === null || endedAt !== null) return [];
    const outcome = helper === null ? 'unknown' : 'interrupted';
    return [{ type: 'tool.completed', data: { turnId: turn.turnId, toolUseId, name: call.name, outcome, isError: true, durationMs: 0 } }];
  });
}

/** Ends an interrupted turn: keeps the partial answer, closes calls without a result, and appends the interruption for readers and model. */
export function finishInterrupt(state: SessionState, turn: Turn, work: InterruptedWork): readonly NewEvent[] {
  const { partial, at, seed, ended = new Map() } = work;
  const prompt = state.prompts.get(turn.promptId);
  const drafts: Draft[] = [];
  if (!turn.prepared && prompt) drafts.push(openingMessage(prompt.submission, state.settings.permissionMode, at));
  if (partial && partial.content.length > 0) {
    const requestId = turn.requestIds.at(-1);
    drafts.push({
      type: 'assistant',
      uuid: deriveId(seed, 'partial-answer'),
      timestamp: at,
      message: { ...partial, stop_reason: null },
      ...(requestId === undefined ? {} : { requestId }),
    });
  }
  const open = openCalls(turn, partial);
  const results = open.flatMap(({ toolUseId, deferred }) => ended.get(toolUseId) ?? deferred ?? []);
  // A call that was running when its worker was lost may have taken effect.
  const closed = open
    .filter(({ toolUseId, deferred }) => !ended.has(toolUseId) && !deferred)
    .map(({ toolUseId, startedAt, helper }) =>
      closedCall(toolUseId, startedAt === null ? cancelledText(state, work) : helper === null ? OUTCOME_UNKNOWN : HELPER_INTERRUPTED),
    );
  if (closed.length > 0) drafts.push(userMessage({ uuid: deriveId(seed, 'closed-calls'), timestamp: at, isMeta: true, content: closed }));
  drafts.push(...results);
  const wasCalling = open.length > 0 || turn.pendingCalls.some((id) => turn.calls.get(id)?.outcome === 'interrupted');
  drafts.push(
    userMessage({
      uuid: deriveId(seed, 'interruption'),
      isInterruption: true,
      timestamp: at,
      content: [{ type: 'text', text: wasCalling ? INTERRUPTED_FOR_TOOL_USE : INTERRUPTED }],
    }),
  );

  const events: NewEvent[] = [...lostCalls(turn, open), ...appendMessages(state, drafts, turn)];
  for (const requestId of turn.requestIds) {
    if (state.requests.get(requestId)?.status !== 'open') continue;
    const error = { code: 'interrupted', message: 'The turn was interrupted while the model was answering.' };
    events.push({ type: 'request.failed', data: { requestId, turnId: turn.turnId, error, durationMs: work.durationMs, retryAt: null } });
  }
  events.push(...endTurn(state, { type: 'turn.interrupted', data: { turnId: turn.turnId } }));
  return events;
}
