import { appendMessages } from './append-messages.js';
import type { CallDecision, TurnCommand } from '../state/commands.js';
import type { NewEvent } from '../../../packages/protocol/events/events.js';
import { stateChanged, turnOver } from './domain-errors.js';
import type { CallRecord, SessionState, Turn } from '../state/state.js';
import { callsThatAre, isForHelper, release, statusOf } from '../state/tool-calls.js';
import type { Draft } from '../../../packages/protocol/message/draft.js';
import type { HookRun } from '../../../packages/protocol/hooks/hook-run.js';

type Report<T extends TurnCommand['type']> = Extract<TurnCommand, { type: T }>;

/** Changes the tools offered to the model; no event when they are the same. */
export function offerTools({ tools }: Report<'OfferTools'>, state: SessionState): readonly NewEvent[] {
  return JSON.stringify(tools) === JSON.stringify(state.serverTools) ? [] : [{ type: 'session.tools_changed', data: { tools } }];
}

/** Decisions of rules, hooks and mode about pending calls, or about allowed ones whose input a person changed. */
export function recordDecisions({ decisions }: Report<'RecordDecisions'>, state: SessionState, turn: Turn): readonly NewEvent[] {
  if (turn.interruptRequested) throw stateChanged();
  const calls = decisions.map((decision) => ({ decision, call: known(turn, decision.toolUseId) }));
  if (calls.some(({ call, decision }) => !isOpenTo(decision, call))) throw stateChanged();
  const ended = new Map(decisions.flatMap(({ toolUseId, decision, result }) => (decision === 'deny' ? [[toolUseId, result] as const] : [])));
  const { released, deferred } = release(turn, ended);
  return [
    ...decisions.flatMap(({ hookRuns }) => hookEvents(hookRuns, turn)),
    ...calls.map(({ decision, call }): NewEvent => ({ type: 'tool.decided', data: decided(turn, call, decision, deferred.get(call.toolUseId)) })),
    ...appendMessages(state, [...decisions.flatMap(({ contexts }) => contexts), ...released], turn),
  ];
}

function isOpenTo({ decision }: CallDecision, call: CallRecord): boolean {
  const status = statusOf(call);
  return status === 'pending' || (status === 'ready' && decision === 'deny');
}

function decided(
  { turnId }: Turn,
  { toolUseId, name }: CallRecord,
  given: CallDecision,
  deferred: readonly Draft[] | undefined,
): Extract<NewEvent, { type: 'tool.decided' }>['data'] {
  const { decision, by, reason, updatedInput, endReason } = given;
  return {
    turnId,
    toolUseId,
    name,
    decision,
    by,
    reason,
    ...(updatedInput ? { updatedInput } : {}),
    ...(deferred ? { deferred } : {}),
    ...(endReason === null ? {} : { endReason }),
  };
}

/** The last point at which a call can be stopped. A started call is never started again. */
export function startCall({ toolUseId, helper }: Report<'StartCall'>, turn: Turn): readonly NewEvent[] {
  const call = known(turn, toolUseId);
  if (call.startedAt !== null) throw turnOver();
  if (turn.interruptRequested || statusOf(call) !== 'ready') throw stateChanged();
  return [
    {
      type: 'tool.started',
      data: { turnId: turn.turnId, toolUseId, name: call.name, input: call.updatedInput ?? call.input, ...(helper === undefined ? {} : { helper }) },
    },
  ];
}

export function recordOutcome(command: Report<'RecordOutcome'>, state: SessionState, turn: Turn): readonly NewEvent[] {
  const { toolUseId, outcome, isError, durationMs, messages, hookRuns, endReason, leavesPlanMode } = command;
  const call = known(turn, toolUseId);
  if (!['running', 'awaiting_helper'].includes(statusOf(call))) throw turnOver();
  const { released, deferred } = release(turn, new Map([[toolUseId, messages]]));
  const kept = deferred.get(toolUseId);
  return [
    ...hookEvents(hookRuns, turn),
    {
      type: 'tool.completed',
      data: {
        turnId: turn.turnId,
        toolUseId,
        name: call.name,
        outcome,
        isError,
        durationMs,
        ...(kept ? { deferred: kept } : {}),
        ...(endReason === null ? {} : { endReason }),
      },
    },
    ...(leavesPlanMode ? withoutPlanMode(state) : []),
    ...appendMessages(state, released, turn),
  ];
}

/** The mode may have been changed while the call ran: then that change stays. */
const withoutPlanMode = ({ settings }: SessionState): readonly NewEvent[] =>
  settings.permissionMode === 'plan' ? [{ type: 'session.configured', data: { changes: { permissionMode: 'default' } } }] : [];

/** Suspends the turn when a worker has nothing to do for it. A call for a helper may be left to start when another helper has ended. */
export function waitForCalls(turn: Turn): readonly NewEvent[] {
  const [unanswered, undecided, helped] = [
    callsThatAre('awaiting_client', turn),
    callsThatAre('awaiting_decision', turn),
    callsThatAre('awaiting_helper', turn),
  ];
  const left = callsThatAre('ready', turn).filter((call) => helped.length === 0 || !isForHelper(call));
  const busy = left.length + callsThatAre('pending', turn).length + callsThatAre('running', turn).length > 0;
  if (turn.interruptRequested || busy || unanswered.length + undecided.length + helped.length === 0) throw stateChanged();
  return [waiting(turn, unanswered.map(idOf), undecided.map(idOf), helped.map(idOf))];
}

export function waiting({ turnId }: Turn, toolUseIds: readonly string[], decisions: readonly string[], helpers: readonly string[] = []): NewEvent {
  return {
    type: 'turn.waiting',
    data: { turnId, toolUseIds, ...(decisions.length > 0 ? { decisions } : {}), ...(helpers.length > 0 ? { helpers } : {}) },
  };
}

export function hookEvents(runs: readonly HookRun[], { turnId }: Turn): readonly NewEvent[] {
  return runs.map((run) => ({ type: 'hook.completed', data: { ...run, turnId } }));
}

function known(turn: Turn, toolUseId: string): CallRecord {
  const call = turn.calls.get(toolUseId);
  if (!call) throw turnOver();
  return call;
}

const idOf = ({ toolUseId }: CallRecord): string => toolUseId;
