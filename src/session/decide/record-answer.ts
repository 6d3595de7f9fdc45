import type { ContentBlock, ToolUseBlock } from '../../../packages/protocol/message/content.js';
import { userMessage, type Draft } from '../../../packages/protocol/message/draft.js';
import { deriveId } from '../../../packages/protocol/message/ids.js';
import { cacheDiagnosticsIn, inputTransformationsIn } from '../../../packages/protocol/message/api-reports.js';
import type { ModelMessage } from '../../../packages/protocol/message/message.js';
import { appendMessages } from './append-messages.js';
import { closedCall } from './closed-calls.js';
import type { TurnCommand } from '../state/commands.js';
import { waiting } from './decide-calls.js';
import { endTurn } from './end-turn.js';
import type { NewEvent } from '../../../packages/protocol/events/events.js';
import type { SessionState, Turn } from '../state/state.js';
import { refusalNote, stopDetailsOf } from './refusal.js';
import { continuesAfter, isNaturalStop, REFUSAL } from '../state/stop-reasons.js';
import { callsIn, calledTool } from '../state/tool-calls.js';

/** Records an answer of the model. Calls that cannot run are closed; the turn ends unless the stop reason continues it or Stop hooks must run. */
export function recordAnswer(command: Extract<TurnCommand, { type: 'RecordAnswer' }>, state: SessionState, turn: Turn): readonly NewEvent[] {
  const { message, requestId, at } = command;
  const { stop_reason: stopReason } = message;
  const { turnId } = turn;
  const drafts: Draft[] = [{ type: 'assistant', uuid: command.uuid, timestamp: at, message, requestId }];
  const calls = callsIn(message.content);
  const faults = faultsOf(calls, message, state, command.maxToolCalls);
  if (faults.size > 0) {
    const content = calls.flatMap(({ id }): readonly ContentBlock[] => closedIfFaulty(id, faults));
    drafts.push(userMessage({ uuid: deriveId(command.uuid, 'closed-calls'), timestamp: at, isMeta: true, content }));
  }
  const isRefused = stopReason === REFUSAL;
  if (isRefused) drafts.push(refusalNote(drafts, message, state, turn, at, command.keepsRefusedPrompt));
  const events: NewEvent[] = [...appendMessages(state, drafts, turn)];
  events.push({
    type: 'request.completed',
    data: {
      ...{ requestId, turnId, providerRequestId: command.providerRequestId, stopReason, usage: message.usage ?? {}, durationMs: command.durationMs },
      ...inputTransformationsIn(message),
      ...cacheDiagnosticsIn(message),
    },
  });
  if (!continuesAfter(stopReason)) {
    if (command.hasStopHooks && isNaturalStop(stopReason)) return events;
    const details = isRefused ? { stopDetails: stopDetailsOf(message) } : {};
    return [...events, ...endTurn(state, { type: 'turn.completed', data: { turnId, stopReason: stopReason ?? 'unknown', ...details } })];
  }
  const open = calls.filter(({ id }) => !faults.has(id));
  const areClientCalls = open.every(({ name }) => calledTool(state, name).runBy === 'client');
  if (open.length > 0 && areClientCalls && !turn.interruptRequested)
    events.push(
      waiting(
        turn,
        open.map(({ id }) => id),
        [],
      ),
    );
  return events;
}

/** Calls that cannot run: the reason by call id. */
function faultsOf(calls: readonly ToolUseBlock[], message: ModelMessage, state: SessionState, most: number): ReadonlyMap<string, string> {
  const unreadable = unreadableCalls(message);
  const faults = new Map<string, string>();
  calls.forEach(({ id, name, input }, index) => {
    const fault = !continuesAfter(message.stop_reason)
      ? `The answer ended early (${message.stop_reason ?? 'unknown'}), so this call was not run.`
      : unreadable.has(id)
        ? 'The input of this call was not valid JSON, so it was not run.'
        : typeof input !== 'object' || input === null || Array.isArray(input)
          ? 'The input of this call was not an object, so it was not run.'
          : calledTool(state, name).runBy === 'none'
            ? `There is no tool named ${name} in this session.`
            : index >= most
              ? `One answer can have at most ${most} calls. This call exceeds the limit and was not run.`
              : null;
    if (fault !== null) faults.set(id, fault);
  });
  return faults;
}

function closedIfFaulty(id: string, faults: ReadonlyMap<string, string>): readonly ContentBlock[] {
  const fault = faults.get(id);
  return fault === undefined ? [] : [closedCall(id, fault)];
}

/** Calls whose input was not valid JSON. They have an empty input, which the model did not write, so they must not run. */
function unreadableCalls(message: ModelMessage): ReadonlySet<string> {
  const unparsed = message['unparsed_input'];
  return new Set(typeof unparsed === 'object' && unparsed !== null ? Object.keys(unparsed) : []);
}
