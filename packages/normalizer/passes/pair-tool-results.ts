import { isToolsetName, TOOLSET_CONTENT } from '../api-rules/tool-pairs.js';
import type { ContentBlock, ToolResultBlock, ToolUseBlock } from '../../protocol/message/content.js';
import { RESULT_MISSING } from '../../protocol/message/wire-texts.js';
import { loose } from '../../protocol/message/unknown-json.js';
import type { Pass } from '../pass.js';
import { CallIds } from '../call-ids.js';
import { changed, added, type Working, type WorkingBlock, type WorkingMessage } from '../working-message.js';
import { joinNeighbours } from './join-neighbours.js';
import { ALLOWED_BESIDE } from './sanitize-error-results.js';

/**
 * Every call has exactly one result, first in the next user turn, in the order of the calls: `tool_use ids were found without tool_result blocks immediately
 * after`, `unexpected tool_use_id found in tool_result blocks`, `each tool_use must have a single result`. A call without a result gets a placeholder; a
 * result without a call, and a second result, is removed. Ids are unique and well-formed on both sides: `tool_use ids must be unique`, `String should match
 * pattern '^[a-zA-Z0-9_-]+$'`. The result of a toolset call names the toolset and contains only text, images and browser states; media are kept beside it (docs:
 * Browser use tool). A result with tool references contains nothing else; texts and media are kept beside it. Needs `merge-assistants`: turns alternate.
 */
export const pairToolResults: Pass = {
  name: 'pair-tool-results',
  reason: {
    added: 'the call has no stored result, and the model API rejects a call without one',
    dropped: 'no call waits for this result',
    changed:
      'call ids are unique, of letters, digits, _ and -; the result of a toolset call names the toolset and contains only what it accepts, one with tool references nothing else',
    moved: 'results come first in a turn, in the order of their calls',
    merged: 'the user turn between two answers had no other content',
  },
  dropReasons: (before) => {
    const repeated = repeatedResults(before);
    return (block) => (repeated.has(block) ? 'a result for this call was already given' : undefined);
  },
  apply: pair,
};

function pair(messages: Working): Working {
  const ids = new CallIds();
  let result: WorkingMessage[] | null = null;
  let removedTurn = false;
  const put = (index: number, before: WorkingMessage | null, after: WorkingMessage | null): void => {
    if (result === null && after !== before) result = messages.slice(0, index);
    if (result !== null && after !== null) result.push(after);
  };
  let calls: readonly WorkingBlock[] = [];
  let answers: readonly string[] = [];
  messages.forEach((message, index) => {
    if (message.kind === 'user') {
      const after = answered(message, calls, answers);
      removedTurn ||= after === null;
      put(index, message, after);
      calls = [];
      return;
    }
    if (calls.length > 0) put(index, null, unanswered(calls, answers));
    calls = message.blocks.filter(isCall);
    answers = calls.map(({ block }) => ids.assign((block as ToolUseBlock).id));
    put(index, message, renamed(message, calls, answers));
  });
  if (calls.length > 0) put(messages.length, null, unanswered(calls, answers));
  return removedTurn && result ? joinNeighbours(result, 'assistant') : (result ?? messages);
}

/** Results for a call that has one before them, in the same turn or in an earlier one. */
function repeatedResults(messages: Working): ReadonlySet<WorkingBlock> {
  const repeated = new Set<WorkingBlock>();
  const given = new Set<unknown>();
  let waiting: unknown[] = [];
  for (const { kind, blocks } of messages) {
    if (kind !== 'user') {
      waiting = blocks.filter(isCall).map(({ block }) => (block as ToolUseBlock).id);
      continue;
    }
    const open = new Map<unknown, number>();
    for (const id of waiting) open.set(id, (open.get(id) ?? 0) + 1);
    for (const result of blocks.filter(isResult)) {
      const id = (result.block as ToolResultBlock).tool_use_id;
      const left = open.get(id) ?? 0;
      if (left > 0) given.add(id);
      else if (given.has(id)) repeated.add(result);
      open.set(id, left - 1);
    }
    waiting = [];
  }
  return repeated;
}

const isCall = ({ block }: WorkingBlock): boolean => block.type === 'tool_use';
const isResult = ({ block }: WorkingBlock): boolean => block.type === 'tool_result';

function renamed(message: WorkingMessage, calls: readonly WorkingBlock[], names: readonly string[]): WorkingMessage {
  if (calls.every(({ block }, at) => (block as ToolUseBlock).id === names[at])) return message;
  let at = 0;
  const blocks = message.blocks.map((before) => {
    if (!isCall(before)) return before;
    const id = names[at++] as string;
    const call = before.block as ToolUseBlock;
    return call.id === id ? before : changed(before, { ...call, id });
  });
  return { ...message, blocks };
}

/** The user turn after `calls`, whose ids are sent as `names`; null when it has no other content. */
function answered(message: WorkingMessage, calls: readonly WorkingBlock[], names: readonly string[]): WorkingMessage | null {
  if (isInOrder(message, calls, names)) return message;
  const waiting = new Map<unknown, WorkingBlock[]>();
  for (const before of message.blocks.filter(isResult).reverse()) {
    const id = (before.block as ToolResultBlock).tool_use_id;
    const same = waiting.get(id);
    if (same) same.push(before);
    else waiting.set(id, [before]);
  }
  const results = calls.map(({ block }, at) => resultFor(waiting.get((block as ToolUseBlock).id)?.pop(), names[at] as string, toolsetOf(block)));
  const beside = results.flatMap((result) => besideOf(result));
  const blocks = [...results.map(withoutExcess), ...beside, ...message.blocks.filter((block) => !isResult(block))];
  return blocks.length === 0 ? null : { ...message, blocks };
}

function isInOrder({ blocks }: WorkingMessage, calls: readonly WorkingBlock[], names: readonly string[]): boolean {
  const answersAt = (at: number): boolean => {
    const result = blocks[at]?.block;
    const call = calls[at]?.block;
    if (result?.type !== 'tool_result' || call?.type !== 'tool_use') return false;
    return call.id === names[at] && result.tool_use_id === call.id && toolsetOf(result) === toolsetOf(call) && excessOf(result).length === 0;
  };
  return calls.every((_, at) => answersAt(at)) && !blocks.some((block, at) => at >= calls.length && isResult(block));
}

/** `toolset_name`, by which the API recognizes calls of its own toolsets (docs: Browser use tool). */
const toolsetOf = (block: object): unknown => loose(block)['toolset_name'] ?? undefined;

/** Inner blocks that the result of a toolset call cannot contain; beside tool references, all others. */
function excessOf(block: ContentBlock): readonly ContentBlock[] {
  if (block.type !== 'tool_result' || !Array.isArray(block.content)) return [];
  const inner = block.content as readonly ContentBlock[];
  if (inner.some(({ type }) => type === 'tool_reference')) return inner.filter(({ type }) => type !== 'tool_reference');
  return isToolsetName(toolsetOf(block)) ? inner.filter(({ type }) => !TOOLSET_CONTENT.has(type)) : [];
}

function withoutExcess(before: WorkingBlock): WorkingBlock {
  const excess = new Set(excessOf(before.block));
  if (excess.size === 0) return before;
  const { content, ...rest } = before.block as ToolResultBlock;
  const kept = (content as readonly ContentBlock[]).filter((inner) => !excess.has(inner));
  return changed(before, { ...rest, ...(kept.length > 0 ? { content: kept } : {}) });
}

/** What leaves such a result and a user message accepts outside it. */
function besideOf(before: WorkingBlock): readonly WorkingBlock[] {
  return excessOf(before.block).flatMap((inner) => (inner.type === 'text' || ALLOWED_BESIDE.has(inner.type) ? [changed(before, inner)] : []));
}

function resultFor(found: WorkingBlock | undefined, id: string, toolset: unknown): WorkingBlock {
  const named = toolset === undefined ? {} : { toolset_name: toolset };
  if (!found) return added({ type: 'tool_result', tool_use_id: id, content: RESULT_MISSING, is_error: true, ...named } as ToolResultBlock);
  const result = found.block as ToolResultBlock;
  if (result.tool_use_id === id && toolsetOf(result) === toolset) return found;
  const { toolset_name: _, ...rest } = result as ToolResultBlock & { readonly toolset_name?: unknown };
  return changed(found, { ...rest, tool_use_id: id, ...named });
}

function unanswered(calls: readonly WorkingBlock[], names: readonly string[]): WorkingMessage {
  return { kind: 'user', original: null, blocks: names.map((id, at) => resultFor(undefined, id, toolsetOf(calls[at]?.block ?? {}))) };
}
