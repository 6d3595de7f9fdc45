import { DomainError } from '../../../packages/protocol/errors.js';
import { userMessage, type Draft } from '../../../packages/protocol/message/draft.js';
import { deriveId } from '../../../packages/protocol/message/ids.js';
import { appendMessages } from './append-messages.js';
import { cancelledText, closedCall, outcomeMessage, rejectedText } from './closed-calls.js';
import type { TurnCommand, UserCommand } from '../state/commands.js';
import { finishInterrupt } from './end-turn.js';
import type { NewEvent } from '../../../packages/protocol/events/events.js';
import { turnOver } from './domain-errors.js';
import type { CallRecord, SessionState, Turn } from '../state/state.js';
import { callsThatAre, release, statusOf } from '../state/tool-calls.js';

/** Rejects results of calls that do not wait for one of the client. */
export function requireAwaited(turn: Turn | null, results: readonly { readonly toolUseId: string }[]): ReadonlySet<string> {
  const answered = new Set<string>();
  results.forEach(({ toolUseId }, index) => {
    const call = turn?.calls.get(toolUseId);
    if (!call || call.runBy !== 'client' || call.resultUuid !== null || answered.has(toolUseId)) {
      throw new DomainError('tool_call_not_waiting', 'No tool call with this id waits for a result of the client.', [
        { pointer: `/results/${index}/toolUseId`, text: 'is unknown or settled' },
      ]);
    }
    answered.add(toolUseId);
  });
  return answered;
}

/** Results of client tools, in any order and number of requests; the turn resumes with the last one. */
export function decideToolResults(command: Extract<UserCommand, { type: 'PostToolResults' }>, state: SessionState): readonly NewEvent[] {
  const { turn } = state;
  const answered = requireAwaited(turn, command.results);
  const drafts = command.results.map(({ uuid, ...result }) => outcomeMessage(result, { uuid, at: command.at }));
  const events = appendMessages(state, drafts, turn);
  return turn ? [...events, ...resumed(turn, (call) => (answered.has(call.toolUseId) ? 'settled' : statusOf(call)))] : events;
}

/** A person's decision about a call. A rejection without feedback interrupts the turn. */
export function decideTool(command: Extract<UserCommand, { type: 'DecideTool' }>, state: SessionState): readonly NewEvent[] {
  const { toolUseId, decision, feedback, updatedInput, by, at, seed, gates } = command;
  const { turn, call } = callToDecide(state, toolUseId);
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
  const resume = (status: 'ready' | 'settled'): readonly NewEvent[] => resumed(turn, (other) => (other === call ? status : statusOf(other)));
  if (decision === 'allow') return [decided(undefined), ...resume('ready')];

  const content = decision === 'cancel' ? cancelledText(state, command) : rejectedText(feedback, state, command);
  const ended = new Map([[toolUseId, [outcomeMessage({ toolUseId, content, isError: true }, { uuid: deriveId(seed, 'result'), at })]]]);
  if (decision === 'reject' && feedback !== null) {
    const { released, deferred } = release(turn, ended);
    return [decided(deferred.get(toolUseId)), ...appendMessages(state, released, turn), ...resume('settled')];
  }
  const stop: NewEvent = {
    type: 'turn.interrupt_requested',
    data: { turnId: turn.turnId, reason: decision === 'cancel' ? 'a tool call was cancelled' : 'a tool call was rejected' },
  };
  if (turn.status !== 'waiting') return [decided(ended.get(toolUseId)), stop];
  return [decided(undefined), stop, ...finishInterrupt(state, turn, { partial: null, at, seed, durationMs: 0, gates, ended })];
}

/** Closes calls that were not answered in time, so that the model can continue without them. */
export function expireCalls(command: Extract<TurnCommand, { type: 'ExpireCalls' }>, state: SessionState, turn: Turn): readonly NewEvent[] {
  if (turn.status !== 'waiting') throw turnOver();
  const { at, uuid, waitedMs } = command;
  const [unanswered, undecided] = [callsThatAre('awaiting_client', turn), callsThatAre('awaiting_decision', turn)];
  if (unanswered.length + undecided.length === 0) return []; // a helper ends by its own limits
  const waited = `${Math.round(waitedMs / 1_000)} s`;
  const closed = [
    ...unanswered.map(({ toolUseId }) => closedCall(toolUseId, `The client did not answer this call within ${waited}. It is unknown whether it ran.`)),
    ...undecided.map(({ toolUseId }) => closedCall(toolUseId, `This call was not allowed or rejected within ${waited}. It was not run.`)),
  ];
  const { released } = release(turn, new Map(undecided.map(({ toolUseId }) => [toolUseId, []])));
  return [
    ...undecided.map(({ toolUseId, name }): NewEvent => ({
      type: 'tool.decided',
      data: { turnId: turn.turnId, toolUseId, name, decision: 'reject', by: { kind: 'timeout' } },
    })),
    ...appendMessages(state, [userMessage({ uuid, timestamp: at, isMeta: true, content: closed }), ...released], turn),
    { type: 'turn.resumed', data: { turnId: turn.turnId } },
  ];
}

/** The worker then records the result; a turn that runs has one already. */
export function resumeForHelper({ turnId, toolUseId }: Extract<TurnCommand, { type: 'ResumeForHelper' }>, turn: Turn): readonly NewEvent[] {
  const call = turn.calls.get(toolUseId);
  return turn.status === 'waiting' && call && statusOf(call) === 'awaiting_helper' ? [{ type: 'turn.resumed', data: { turnId } }] : [];
}

function callToDecide(state: SessionState, toolUseId: string): { readonly turn: Turn; readonly call: CallRecord } {
  const { turn } = state;
  const call = turn?.calls.get(toolUseId);
  if (turn && call && !turn.interruptRequested && statusOf(call) === 'awaiting_decision') return { turn, call };
  if (call || [...state.turns.values()].some(({ calls }) => calls.has(toolUseId))) {
    throw new DomainError('tool_call_not_waiting', 'This tool call does not wait for a decision.', [{ pointer: '/toolUseId', text: 'is settled' }]);
  }
  throw new DomainError('tool_call_not_found', 'There is no tool call with this id in the session.', [{ pointer: '/toolUseId', text: 'is unknown' }]);
}

/** Resumes a waiting turn once no decision is pending and there is a call to run or none left to wait for. */
function resumed(turn: Turn, status: (call: CallRecord) => ReturnType<typeof statusOf>): readonly NewEvent[] {
  if (turn.status !== 'waiting') return [];
  const left = turn.pendingCalls.flatMap((id) => turn.calls.get(id) ?? []).map(status);
  const resumes = !left.includes('awaiting_decision') && (left.includes('ready') || !(left.includes('awaiting_client') || left.includes('awaiting_helper')));
  return resumes ? [{ type: 'turn.resumed', data: { turnId: turn.turnId } }] : [];
}
