import { standIn, type Report } from './problem.js';
import { blocksOf, continuesThread, textOf, type ParsedBlock, type Stage, type Turn } from './parsed-request.js';

/**
 * Every client tool call has exactly one result, at the start of the next user turn
 * (docs: Handle tool calls; Handling stop reasons; Parallel tool use).
 */
export const toolPairs: Stage = ({ turns, body }, report) => {
  const continues = continuesThread(body);
  uniqueIds(turns, report);
  turns.forEach((turn, index) => {
    if (turn.role === 'assistant') {
      last(turn, report);
      answered(turn, turns[index + 1], report);
    }
    // The calls that a continued thread answers first are in the thread.
    if (turn.role === 'user' && !(continues && index === 0)) answering(turn, turns[index - 1], report);
  });
};

const callsOf = (turn: Turn | undefined): readonly ParsedBlock[] => (turn?.role === 'assistant' ? turn.blocks.filter(({ type }) => type === 'tool_use') : []);

const resultsOf = (turn: Turn | undefined): readonly ParsedBlock[] => (turn?.role === 'user' ? turn.blocks.filter(({ type }) => type === 'tool_result') : []);

const callId = ({ value }: ParsedBlock): string => textOf(value['id']);
const resultId = ({ value }: ParsedBlock): string => textOf(value['tool_use_id']);

function uniqueIds(turns: readonly Turn[], report: Report): void {
  const seen = new Set<string>();
  for (const turn of turns) {
    for (const call of callsOf(turn)) {
      const id = callId(call);
      if (id === '') continue;
      if (seen.has(id)) report({ rule: 'duplicate-tool-use-id', at: call.at, text: `${call.at}: \`tool_use\` ids must be unique` });
      seen.add(id);
    }
  }
}

/**
 * Text or a server tool result after a call separates the call from its result. Thinking after them, or a pending server tool call, does not.
 */
function last({ blocks }: Turn, report: Report): void {
  let isSeparated = false;
  for (const { type, at, message, value } of blocks.toReversed()) {
    if (type === 'thinking' || type === 'redacted_thinking') isSeparated = false;
    else if (type !== 'tool_use') isSeparated ||= type !== 'server_tool_use';
    else if (isSeparated) report({ rule: 'tool-use-not-last', at, text: unansweredText(message, [textOf(value['id'])]) });
  }
}

/** Only results before the first other block count. */
function answered(turn: Turn, next: Turn | undefined, report: Report): void {
  const calls = callsOf(turn);
  if (calls.length === 0) return;
  const blocks = next?.role === 'user' ? next.blocks : [];
  const firstOther = blocks.findIndex(({ type }) => type !== 'tool_result');
  const inTime = new Set((firstOther < 0 ? blocks : blocks.slice(0, firstOther)).map(resultId));
  const missing = calls.filter((call) => callId(call) !== '' && !inTime.has(callId(call)));
  const first = missing[0];
  if (!first) return;
  const late = new Set(resultsOf(next).map(resultId));
  const ids = [...new Set(missing.map(callId))];
  report({
    rule: ids.every((id) => late.has(id)) ? 'tool-result-not-first' : 'tool-use-without-result',
    at: first.at,
    text: unansweredText(first.message, ids),
  });
}

function unansweredText(message: number, ids: readonly string[]): string {
  const found = `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(', ')}.`;
  return `messages.${message}: ${found} Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
}

function answering(turn: Turn, previous: Turn | undefined, report: Report): void {
  const calls = new Map(callsOf(previous).map((call) => [callId(call), call]));
  const seen = new Set<string>();
  for (const result of resultsOf(turn)) {
    const id = resultId(result);
    if (id === '') continue;
    const call = calls.get(id);
    if (!call) unexpected(result, id, report);
    else if (seen.has(id)) {
      const text = `${result.at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`;
      report({ rule: 'duplicate-tool-result', at: result.at, text });
    } else toolset(call, result, report);
    seen.add(id);
  }
}

function unexpected({ at }: ParsedBlock, id: string, report: Report): void {
  const found = `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}.`;
  const rule = 'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.';
  report({ rule: 'tool-result-without-use', at, text: `${at}: ${found} ${rule}` });
}

/** Types of blocks in the result of a toolset call (docs: Browser use tool). */
export const TOOLSET_CONTENT: ReadonlySet<string> = new Set(['text', 'image', 'browser_state']);

export const isToolsetName = (name: unknown): boolean => typeof name === 'string' && name !== '';

/** Docs: Browser use tool, "Request errors". */
function toolset(call: ParsedBlock, result: ParsedBlock, report: Report): void {
  const wanted = textOf(call.value['toolset_name']);
  if (!isToolsetName(wanted)) return;
  const other = blocksOf(result.value['content'], `${result.at}.content`).find(({ type }) => !TOOLSET_CONTENT.has(type));
  if (other) {
    const text = standIn(`${other.at}: the result of a toolset call may contain only text, image and browser_state blocks`);
    report({ rule: 'toolset-result-content', at: other.at, text });
  }
  if (result.value['toolset_name'] === wanted) return;
  const text = standIn(`${result.at}.tool_result.toolset_name: must be '${wanted}', as in the call it answers`);
  report({ rule: 'toolset-name-mismatch', at: `${result.at}.toolset_name`, text });
}
