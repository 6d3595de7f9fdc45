import { DomainError } from '../errors.js';
import { userMessage } from '../message/factory.js';
import { deriveId } from '../message/ids.js';
import { appendMessages } from './append-messages.js';
import { cancelledText, closedCall, outcomeMessage, rejectedText } from './closed-calls.js';
import type { TurnCommand, UserCommand } from '../session/commands.js';
import { finishInterrupt } from './end-turn.js';
import type { NewEvent } from '../session/events.js';
import { turnOver } from './domain-errors.js';
import type { CallRecord, SessionState, Turn } from '../session/state.js';
import { callsThatAre, release, statusOf } from '../session/tool-calls.js';
import type { Draft } from '../message/draft.js';

/** Results of client tools, in any order and in as many parts as the client likes; the turn goes on with the last one. */
export function decideToolResults(command: Extract<UserCommand, { type: 'PostToolResults' }>, state: SessionState): readonly NewEvent[] {
  const { turn } = state;
  const answered = new Set<string>();
  command.results.forEach((result, index) => {
    const call = turn?.calls.get(result.toolUseId);
    if (!call || call.runBy !== 'client' || call.resultUuid !== null || answered.has(result.toolUseId)) {
      throw new DomainError('tool_call_not_waiting', 'No call with that id waits for a result in this session.', [
        { pointer: `/results/${index}/toolUseId`, text: 'is unknown or settled' },
      ]);
    }
    answered.add(result.toolUseId);
  });
  const drafts = command.results.map(({ uuid, ...result }) => outcomeMessage(result, { uuid, at: command.at }));
  const events = appendMessages(state, drafts, turn);
  return turn ? [...events, ...resumed(turn, (call) => (answered.has(call.toolUseId) ? 'settled' : statusOf(call)))] : events;
}

/** A person's word about a call that asks for it. A refusal without a word to the model stops the turn, as an interrupt does. */
export function decideTool(command: Extract<UserCommand, { type: 'DecideTool' }>, state: SessionState): readonly NewEvent[] {
  const { toolUseId, decision, feedback, updatedInput, by, at, seed, gates } = command;
  const { turn, call } = askedCall(state, toolUseId);
  const decided = (deferred: readonly Draft[] | undefined): NewEvent => ({
    type: 'tool.decided',
    data: {
      turnId: turn.turnId,
      toolUseId,
      name: call.name,
      decision,
      by: { kind: 'person', id: by },
      ...(feedback === null ? {} : { feedback }),
      ...(updatedInput === null ? {} : { updatedInput }),
      ...(deferred ? { deferred } : {}),
    },
  });
  const goesOn = (status: 'ready' | 'settled'): readonly NewEvent[] => resumed(turn, (other) => (other === call ? status : statusOf(other)));
  if (decision === 'allow') return [decided(undefined), ...goesOn('ready')];

  const content = decision === 'cancel' ? cancelledText(gates) : rejectedText(feedback, gates);
  const ended = new Map([[toolUseId, [outcomeMessage({ toolUseId, content, isError: true }, { uuid: deriveId(seed, 'result'), at })]]]);
  if (decision === 'reject' && feedback !== null) {
    const { released, deferred } = release(turn, ended);
    return [decided(deferred.get(toolUseId)), ...appendMessages(state, released, turn), ...goesOn('settled')];
  }
  const stop: NewEvent = {
    type: 'turn.interrupt_requested',
    data: { turnId: turn.turnId, reason: decision === 'cancel' ? 'a call was cancelled' : 'a call was rejected' },
  };
  if (turn.status !== 'waiting') return [decided(ended.get(toolUseId)), stop];
  return [decided(undefined), stop, ...finishInterrupt(state, turn, { partial: null, at, seed, durationMs: 0, gates, ended })];
}

/** Closes what the client and the people owe, so that the model can go on without it. */
export function expireCalls(command: Extract<TurnCommand, { type: 'ExpireCalls' }>, state: SessionState, turn: Turn): readonly NewEvent[] {
  if (turn.status !== 'waiting') throw turnOver();
  const { at, uuid, waitedMs } = command;
  const [owed, asked] = [callsThatAre('awaiting_client', turn), callsThatAre('awaiting_decision', turn)];
  const waited = `${Math.round(waitedMs / 1_000)} s`;
  const closed = [
    ...owed.map(({ toolUseId }) => closedCall(toolUseId, `The client did not answer this call within ${waited}. Whether it was carried out is not known.`)),
    ...asked.map(({ toolUseId }) => closedCall(toolUseId, `Nobody decided about this call within ${waited}. It was not run.`)),
  ];
  const { released } = release(turn, new Map(asked.map(({ toolUseId }) => [toolUseId, []])));
  return [
    ...asked.map(({ toolUseId, name }): NewEvent => ({
      type: 'tool.decided',
      data: { turnId: turn.turnId, toolUseId, name, decision: 'reject', by: { kind: 'timeout' } },
    })),
    ...appendMessages(state, [userMessage({ uuid, timestamp: at, isMeta: true, content: closed }), ...released], turn),
    { type: 'turn.resumed', data: { turnId: turn.turnId } },
  ];
}

function askedCall(state: SessionState, toolUseId: string): { readonly turn: Turn; readonly call: CallRecord } {
  const { turn } = state;
  const call = turn?.calls.get(toolUseId);
  if (turn && call && !turn.interruptRequested && statusOf(call) === 'awaiting_decision') return { turn, call };
  if (call || [...state.turns.values()].some(({ calls }) => calls.has(toolUseId))) {
    throw new DomainError('tool_call_not_waiting', 'That call does not wait for a decision, or does no longer.', [
      { pointer: '/toolUseId', text: 'is settled' },
    ]);
  }
  throw new DomainError('tool_call_not_found', 'There is no such tool call in this session.', [{ pointer: '/toolUseId', text: 'is unknown' }]);
}

/** A turn that waits goes on once nobody has to decide any more, and there is something to run or nothing left to wait for. */
function resumed(turn: Turn, status: (call: CallRecord) => ReturnType<typeof statusOf>): readonly NewEvent[] {
  if (turn.status !== 'waiting') return [];
  const left = turn.pendingCalls.flatMap((id) => turn.calls.get(id) ?? []).map(status);
  const goesOn = !left.includes('awaiting_decision') && (left.includes('ready') || !left.includes('awaiting_client'));
  return goesOn ? [{ type: 'turn.resumed', data: { turnId: turn.turnId } }] : [];
}
