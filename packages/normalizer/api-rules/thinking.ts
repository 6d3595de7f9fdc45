import type { Report } from './problem.js';
import { isObject, parsedMessages, textOf, turnsOf, type ParsedBlock, type ParsedRequest, type SignatureVerdict, type Stage } from './parsed-request.js';

/** Thinking blocks of earlier turns (docs: Thinking; Preserved thinking). */
export const thinking: Stage = (request, report) => {
  signatures(request, report);
  openLoop(request, report);
  if (request.settings.disputedRules === 'reject') uncertain(request, report);
  finalBlock(request, report);
};

const isThinking = ({ type }: { readonly type: string }): boolean => type === 'thinking' || type === 'redacted_thinking';

function modeOf({ body }: ParsedRequest): string {
  return isObject(body['thinking']) ? textOf(body['thinking']['type']) : '';
}

function signatures(request: ParsedRequest, report: Report): void {
  for (const { role, blocks } of request.messages) {
    if (role !== 'assistant') continue;
    for (const block of blocks) if (isThinking(block)) signature(block, request, report);
  }
}

/** Empty thinking with a valid signature is accepted: the API returns it with `display: "omitted"`. */
function signature({ at, type, value }: ParsedBlock, request: ParsedRequest, report: Report): void {
  const field = type === 'thinking' ? 'signature' : 'data';
  if (typeof value[field] !== 'string') return;
  const verdict = verdictOn(value, field, at, request);
  if (verdict === 'valid') return;
  if (verdict === 'other-conversation' && request.profile.preservedThinking) {
    if (!dropsMismatchedBlocks(request)) report({ rule: 'thinking-prefix-mismatch', at, text: `${at}: ${PREFIX_MISMATCH}` });
  } else if (type === 'thinking' && value['thinking'] === '') {
    report({ rule: 'empty-thinking', at, text: `${at}.thinking: each thinking block must contain thinking` });
  } else {
    report({ rule: 'invalid-signature', at, text: `${at}: Invalid \`${field}\` in \`${type}\` block` });
  }
}

const PREFIX_MISMATCH =
  'Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set ' +
  '`thinking.block_binding.prefix_mismatch_behavior` to "drop_block". That setting requires the ' +
  '`thinking-binding-controls-2026-08-01` value in the `anthropic-beta` header.';

function verdictOn(block: ParsedBlock['value'], field: string, at: string, { body, settings }: ParsedRequest): SignatureVerdict {
  if (!settings.signatureIsValid) return block[field] === '' ? 'invalid' : 'valid';
  const verdict = settings.signatureIsValid(block, { body, at });
  if (typeof verdict === 'string') return verdict;
  return verdict ? 'valid' : 'invalid';
}

function dropsMismatchedBlocks({ body }: ParsedRequest): boolean {
  const binding = isObject(body['thinking']) ? body['thinking']['block_binding'] : undefined;
  return isObject(binding) && binding['prefix_mismatch_behavior'] === 'drop_block';
}

/** With manual thinking a tool loop is one assistant turn, and an open loop must start with a thinking block. */
function openLoop(request: ParsedRequest, report: Report): void {
  const start = modeOf(request) === 'enabled' ? startWithoutThinking(request.turns) : null;
  if (!start) return;
  const found = `Expected \`thinking\` or \`redacted_thinking\`, but found \`${start.type}\`.`;
  const text = `messages.${start.message}.content.${start.index}.type: ${found} ${MANUAL_RULE}`;
  report({ rule: 'open-turn-without-thinking', at: start.at, text });
}

/** The first block of an open tool loop; null: there is none, or it is thinking. */
function startWithoutThinking(turns: ParsedRequest['turns']): ParsedBlock | null {
  let start: ParsedBlock | undefined;
  for (let index = turns.length - 1; index > 0; index -= 2) {
    const answer = turns[index];
    const call = turns[index - 1];
    if (answer?.role !== 'user' || call?.role !== 'assistant' || !answer.blocks.some(({ type }) => type === 'tool_result')) break;
    start = call.blocks[0];
  }
  return start && !isThinking(start) ? start : null;
}

/** Whether these messages are accepted only without manual thinking. */
export const lacksThinking = (messages: readonly unknown[]): boolean => startWithoutThinking(turnsOf(parsedMessages(messages))) !== null;

const MANUAL_RULE =
  'When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of ' +
  '`tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, ' +
  'disable `thinking`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking';

/** Two errors reported for older API versions; current documentation says the API accepts these requests. */
function uncertain(request: ParsedRequest, report: Report): void {
  const lastAssistant = request.messages.findLast(({ role }) => role === 'assistant');
  for (const { index, role, blocks } of request.messages) {
    const first = blocks[0];
    if (role !== 'assistant' || !first) continue;
    const found = blocks.find(isThinking);
    if (found && !isThinking(first)) {
      const rule = 'If an assistant message contains any thinking blocks, the first block must be `thinking` or `redacted_thinking`.';
      report({ rule: 'thinking-not-first', at: first.at, text: `${first.at}: ${rule} Found \`${first.type}\`.` });
    }
    if (found && index === lastAssistant?.index && modeOf(request) === 'disabled') {
      const rule = `When thinking is disabled, an \`assistant\` message in the final position cannot contain \`thinking\`.`;
      const text = `${found.at}: ${rule} To use thinking blocks, enable \`thinking\` in your request.`;
      report({ rule: 'thinking-while-disabled', at: found.at, text });
    }
  }
}

function finalBlock({ messages }: ParsedRequest, report: Report): void {
  const last = messages.at(-1);
  const block = last?.blocks.at(-1);
  if (last?.role !== 'assistant' || !block || !isThinking(block)) return;
  const text = `messages.${last.index}: The final block in an assistant message cannot be \`thinking\`.`;
  report({ rule: 'ends-in-thinking', at: block.at, text });
}
