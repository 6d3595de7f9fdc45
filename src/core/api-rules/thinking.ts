import type { Report } from './problem.js';
import { isObject, textOf, type ReadBlock, type Reading, type SignatureVerdict, type Stage } from './reading.js';

/** Thinking of earlier turns, sent back (docs: Thinking; Preserved thinking). */
export const thinking: Stage = (reading, report) => {
  signatures(reading, report);
  openLoop(reading, report);
  if (reading.settings.whereUncertain === 'refuse') uncertain(reading, report);
  finalBlock(reading, report);
};

const isThinking = ({ type }: { readonly type: string }): boolean => type === 'thinking' || type === 'redacted_thinking';

function modeOf({ body }: Reading): string {
  return isObject(body['thinking']) ? textOf(body['thinking']['type']) : '';
}

function signatures(reading: Reading, report: Report): void {
  for (const { role, blocks } of reading.messages) {
    if (role !== 'assistant') continue;
    for (const block of blocks) if (isThinking(block)) signature(block, reading, report);
  }
}

/** An empty text is no fault by itself: with `display: "omitted"` the API sends it so, under a signature that verifies. */
function signature({ at, type, value }: ReadBlock, reading: Reading, report: Report): void {
  const field = type === 'thinking' ? 'signature' : 'data';
  if (typeof value[field] !== 'string') return;
  const verdict = verdictOn(value, field, at, reading);
  if (verdict === 'valid') return;
  if (verdict === 'other-conversation' && reading.profile.preservedThinking) {
    if (!dropsForeignBlocks(reading)) report({ rule: 'thinking-bound-elsewhere', at, text: `${at}: ${BOUND_ELSEWHERE}` });
  } else if (type === 'thinking' && value['thinking'] === '') {
    report({ rule: 'empty-thinking', at, text: `${at}.thinking: each thinking block must contain thinking` });
  } else {
    report({ rule: 'invalid-signature', at, text: `${at}: Invalid \`${field}\` in \`${type}\` block` });
  }
}

const BOUND_ELSEWHERE =
  'Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set ' +
  '`thinking.block_binding.prefix_mismatch_behavior` to "drop_block". That setting requires the ' +
  '`thinking-binding-controls-2026-08-01` value in the `anthropic-beta` header.';

function verdictOn(block: ReadBlock['value'], field: string, at: string, { body, settings }: Reading): SignatureVerdict {
  if (!settings.signatureIsValid) return block[field] === '' ? 'invalid' : 'valid';
  const answer = settings.signatureIsValid(block, { body, at });
  if (typeof answer === 'string') return answer;
  return answer ? 'valid' : 'invalid';
}

function dropsForeignBlocks({ body }: Reading): boolean {
  const binding = isObject(body['thinking']) ? body['thinking']['block_binding'] : undefined;
  return isObject(binding) && binding['prefix_mismatch_behavior'] === 'drop_block';
}

/** Manual thinking: a tool loop is one assistant turn, and the turn that is still open must begin with thinking. */
function openLoop(reading: Reading, report: Report): void {
  if (modeOf(reading) !== 'enabled') return;
  const { turns } = reading;
  let start: ReadBlock | undefined;
  for (let index = turns.length - 1; index > 0; index -= 2) {
    const answer = turns[index];
    const call = turns[index - 1];
    if (answer?.role !== 'user' || call?.role !== 'assistant' || !answer.blocks.some(({ type }) => type === 'tool_result')) break;
    start = call.blocks[0];
  }
  if (!start || isThinking(start)) return;
  const found = `Expected \`thinking\` or \`redacted_thinking\`, but found \`${start.type}\`.`;
  const text = `messages.${start.message}.content.${start.index}.type: ${found} ${MANUAL_RULE}`;
  report({ rule: 'open-turn-without-thinking', at: start.at, text });
}

const MANUAL_RULE =
  'When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of ' +
  '`tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, ' +
  'disable `thinking`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking';

/** Two refusals that newer documentation takes back. */
function uncertain(reading: Reading, report: Report): void {
  const lastAssistant = reading.messages.findLast(({ role }) => role === 'assistant');
  for (const { index, role, blocks } of reading.messages) {
    const first = blocks[0];
    if (role !== 'assistant' || !first) continue;
    const found = blocks.find(isThinking);
    if (found && !isThinking(first)) {
      const rule = 'If an assistant message contains any thinking blocks, the first block must be `thinking` or `redacted_thinking`.';
      report({ rule: 'thinking-not-first', at: first.at, text: `${first.at}: ${rule} Found \`${first.type}\`.` });
    }
    if (found && index === lastAssistant?.index && modeOf(reading) === 'disabled') {
      const rule = `When thinking is disabled, an \`assistant\` message in the final position cannot contain \`thinking\`.`;
      const text = `${found.at}: ${rule} To use thinking blocks, enable \`thinking\` in your request.`;
      report({ rule: 'thinking-while-disabled', at: found.at, text });
    }
  }
}

function finalBlock({ messages }: Reading, report: Report): void {
  const last = messages.at(-1);
  const block = last?.blocks.at(-1);
  if (last?.role !== 'assistant' || !block || !isThinking(block)) return;
  const text = `messages.${last.index}: The final block in an assistant message cannot be \`thinking\`.`;
  report({ rule: 'ends-in-thinking', at: block.at, text });
}
