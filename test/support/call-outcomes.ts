import type { SessionEvent } from '../../packages/protocol/events/events.js';

type LoggedEvent = Pick<SessionEvent, 'type' | 'data'>;

const ENDS: readonly string[] = ['turn.completed', 'turn.interrupted', 'turn.failed'];

/**
 * Tool calls of ended turns that violate the law of calls: a call that was started has exactly one `tool.completed` and exactly one result. A shell command
 * typed by the user is no tool call: its start bears the id of its prompt, and its output is a message.
 */
export function callsWithoutOneOutcome(events: readonly LoggedEvent[]): readonly string[] {
  const ended = new Set(events.flatMap(({ type, data }) => (ENDS.includes(type) ? [(data as { turnId: string }).turnId] : [])));
  const completed: string[] = [];
  const started: string[] = [];
  const results: string[] = [];
  const requested = new Set<string>();
  for (const event of events as readonly SessionEvent[]) {
    if (event.type === 'tool.completed') completed.push(event.data.toolUseId);
    if (event.type === 'tool.started' && ended.has(event.data.turnId)) started.push(event.data.toolUseId);
    if (event.type !== 'message.appended') continue;
    const { message } = event.data;
    if (message.type === 'assistant') for (const block of message.message.content) if (block.type === 'tool_use') requested.add(block['id'] as string);
    if (message.type !== 'user' || typeof message.content === 'string') continue;
    for (const block of message.content) if (block.type === 'tool_result') results.push(block['tool_use_id'] as string);
  }
  const times = (ids: readonly string[], id: string): number => ids.filter((other) => other === id).length;
  return started.filter((id) => requested.has(id) && (times(started, id) !== 1 || times(completed, id) !== 1 || times(results, id) !== 1));
}
