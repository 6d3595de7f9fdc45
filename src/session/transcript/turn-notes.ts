import { blocksOf, type ContentBlock } from '../../../packages/protocol/message/content.js';
import { deriveId } from '../../../packages/protocol/message/ids.js';
import type { StoredMessage, SystemMessage, ToolUseSummaryMessage } from '../../../packages/protocol/message/message.js';
import type { SessionState, Turn } from '../state/state.js';

interface Run {
  readonly calls: Map<string, string>;
  readonly results: Map<string, boolean>;
  turnId: string | null;
  /** The last message of it so far. */
  last: StoredMessage | null;
}

const noRun = (): Run => ({ calls: new Map(), results: new Map(), turnId: null, last: null });

/**
 * Adds, for readers, a `tool_use_summary` after each sequence of tool calls and a `turn_duration` after each turn that has ended. Both follow from the log: they are stored nowhere and never
 * sent. A sequence ends with the next text of the model, or with the turn; it has a summary once each call has its result. An imported summary of the same calls stays the only one.
 */
export function withTurnNotes(messages: readonly StoredMessage[], state: SessionState): readonly StoredMessage[] {
  const summarized = new Set(messages.flatMap((message) => (message.type === 'tool_use_summary' ? message.toolUseIds : [])));
  const ends = endsOfTurns(messages, state);
  const noted: StoredMessage[] = [];
  let run = noRun();
  const close = (): void => {
    const summary = summaryOf(run);
    if (summary && !summary.toolUseIds.some((id) => summarized.has(id))) noted.push(summary);
    run = noRun();
  };
  for (const message of messages) {
    const turnId = state.messages.get(message.uuid)?.turnId ?? null;
    if (endsRun(message) || (run.last !== null && turnId !== run.turnId)) close();
    noted.push(message);
    take(run, message, turnId);
    const turn = ends.get(message.uuid);
    if (turn === undefined) continue;
    close();
    noted.push(durationOf(turn, message));
  }
  close();
  return noted;
}

/** The turns that have ended and of which all messages are there, by their last one. */
function endsOfTurns(messages: readonly StoredMessage[], state: SessionState): ReadonlyMap<string, Turn> {
  const there = new Set(messages.map(({ uuid }) => uuid));
  return new Map(
    [...state.turns.values()].flatMap((turn) => {
      const last = turn.messages.at(-1);
      return turn.endedAt !== null && last !== undefined && there.has(last) ? [[last, turn] as const] : [];
    }),
  );
}

function durationOf({ turnId, startedAt, endedAt }: Turn, last: StoredMessage): SystemMessage {
  const durationMs = Date.parse(endedAt!) - Date.parse(startedAt);
  const uuid = deriveId(turnId, 'turn-duration');
  const content = `The turn took ${(durationMs / 1_000).toFixed(1)} s.`;
  return { type: 'system', uuid, parentUuid: last.uuid, timestamp: endedAt!, subtype: 'turn_duration', level: 'info', content, durationMs };
}

/** A prompt, or an answer that begins with text: what was called before it is a sequence of its own. */
function endsRun(message: StoredMessage): boolean {
  if (message.type === 'assistant') return message.message.content.some((block) => block.type === 'text' && isSaid(block));
  return message.type === 'user' && !message.isMeta && blocksOf(message.content).every(({ type }) => type !== 'tool_result');
}

const isSaid = (block: ContentBlock): boolean => block.type === 'text' && block.text.trim() !== '';

function take(run: Run, message: StoredMessage, turnId: string | null): void {
  const blocks = message.type === 'assistant' ? message.message.content : message.type === 'user' ? blocksOf(message.content) : [];
  for (const block of blocks) {
    if (block.type === 'tool_use') run.calls.set(block.id, block.name);
    if (block.type === 'tool_result') run.results.set(block.tool_use_id, block.is_error === true);
  }
  if (run.calls.size === 0) return;
  run.turnId = turnId;
  run.last = message;
}

function summaryOf({ calls, results, last }: Run): ToolUseSummaryMessage | null {
  const ids = [...calls.keys()];
  if (last === null || ids.some((id) => !results.has(id))) return null;
  const counts = new Map<string, number>();
  for (const name of calls.values()) counts.set(name, (counts.get(name) ?? 0) + 1);
  const names = [...counts].map(([name, count]) => (count === 1 ? name : `${name} (${count} times)`)).join(', ');
  const failed = ids.filter((id) => results.get(id)).length;
  return {
    type: 'tool_use_summary',
    uuid: deriveId(last.uuid, 'tool-use-summary'),
    parentUuid: last.uuid,
    timestamp: last.timestamp,
    summary: failed === 0 ? `Called ${names}.` : `Called ${names}; ${failed} failed.`,
    toolUseIds: ids,
  };
}
