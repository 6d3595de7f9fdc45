import { Refusal } from '../errors.js';
import type { ContentBlock, ToolUseBlock } from '../message/content.js';
import { userMessage } from '../message/factory.js';
import type { ModelMessage } from '../message/message.js';
import { appendMessages } from './append-messages.js';
import type { UserCommand } from './commands.js';
import type { NewEvent } from './events.js';
import type { SessionState, Turn } from './state.js';

export function callsIn(content: readonly ContentBlock[]): readonly ToolUseBlock[] {
  return content.filter((block): block is ToolUseBlock => block.type === 'tool_use');
}

/** Calls of this turn, and of a partial answer on its way in, that have no result yet. */
export function openCalls(state: SessionState, turn: Turn, partial: ModelMessage | null): readonly ToolUseBlock[] {
  const open = new Map<string, ToolUseBlock>();
  for (const uuid of turn.messages) {
    const message = state.messages.get(uuid)?.message;
    if (message?.type === 'assistant' && !message.isVirtual) for (const call of callsIn(message.message.content)) open.set(call.id, call);
    if (message?.type === 'user' && typeof message.content !== 'string') {
      for (const block of message.content) if (block.type === 'tool_result') open.delete(block.tool_use_id);
    }
  }
  for (const call of callsIn(partial?.content ?? [])) open.set(call.id, call);
  return [...open.values()];
}

/** Results of client tools, in any order and in as many parts as the client likes; the turn goes on with the last one. */
export function decideToolResults(command: Extract<UserCommand, { type: 'PostToolResults' }>, state: SessionState): readonly NewEvent[] {
  const owed = new Set(state.owedToolResults);
  const answered = answeredIn(state);
  command.results.forEach((result, index) => {
    if (!owed.has(result.toolUseId) || answered.has(result.toolUseId)) {
      throw new Refusal('tool_call_not_waiting', 'No call with that id waits for a result in this session.', [
        { pointer: `/results/${index}/toolUseId`, text: 'is unknown or settled' },
      ]);
    }
    answered.add(result.toolUseId);
  });
  const drafts = command.results.map((result) =>
    userMessage({
      uuid: result.uuid,
      timestamp: command.at,
      isMeta: true,
      content: [{ type: 'tool_result', tool_use_id: result.toolUseId, content: result.content, ...(result.isError ? { is_error: true } : {}) }],
      ...(result.toolUseResult === undefined ? {} : { toolUseResult: result.toolUseResult }),
    }),
  );
  const events: NewEvent[] = [...appendMessages(state, drafts, state.turn)];
  if (state.turn && [...owed].every((id) => answered.has(id))) events.push({ type: 'turn.resumed', data: { turnId: state.turn.turnId } });
  return events;
}

function answeredIn(state: SessionState): Set<string> {
  const answered = new Set<string>();
  if (!state.turn) return answered;
  const open = new Set(openCalls(state, state.turn, null).map((call) => call.id));
  for (const id of state.owedToolResults) if (!open.has(id)) answered.add(id);
  return answered;
}
