import { standIn, type Report } from './problem.js';
import { blocksOf, listOf, type ParsedBlock, type ParsedMessage, type Stage } from './parsed-request.js';
import { isServerCall, isServerResult } from './server-tools.js';

/** Block types permitted per role and in failed tool results (docs: Handle tool calls; Vision; Thinking). */
export const placement: Stage = ({ messages, settings }, report) => {
  compactionBlocks(messages, settings.betas ?? [], report);
  if (settings.apiVersion === '2026-10-21') userCitations(messages, report);
  for (const { role, blocks } of messages) {
    for (const block of blocks) {
      if (role === 'user') inUserMessage(block, report);
      if (role === 'assistant') inAssistantMessage(block, report);
      if (block.type === 'tool_result') insideResult(block, report);
    }
  }
};

/** At most one compaction block with content, first in the conversation (docs: Compaction). The older version drops what precedes its blocks. */
function compactionBlocks(messages: readonly ParsedMessage[], betas: readonly string[], report: Report): void {
  if (!betas.includes('compact-2026-09-04')) return;
  const found = messages.flatMap(({ blocks }) => blocks.filter(({ type, value }) => type === 'compaction' && typeof value['content'] === 'string'));
  const [first, second] = found;
  if (second) {
    const text = standIn(`${second.at}: \`messages\` may hold one compaction block with content, the one that was returned last`);
    report({ rule: 'compaction-block-ambiguous', at: second.at, text });
  }
  if (!first || (first.message === 0 && first.index === 0)) return;
  report({ rule: 'compaction-block-misplaced', at: first.at, text: standIn(`${first.at}: a compaction block must be the first block of the conversation`) });
}

/** A result may hold a search result, and that texts. The schema permits no deeper nesting. */
const MAX_DEPTH = 2;

/** Since version 2026-10-21 only the model cites (docs: API versions). */
function userCitations(messages: readonly ParsedMessage[], report: Report): void {
  const check = (block: ParsedBlock, depth: number): void => {
    if (block.type === 'text' && listOf(block.value['citations']).length > 0) {
      report({ rule: 'citations-in-user-message', at: block.at, text: standIn(`${block.at}.text.citations: only assistant messages can have citations`) });
    }
    if (depth < MAX_DEPTH && (block.type === 'tool_result' || block.type === 'search_result'))
      for (const inner of blocksOf(block.value['content'], `${block.at}.content`)) check(inner, depth + 1);
  };
  for (const { role, blocks } of messages) if (role === 'user') for (const block of blocks) check(block, 0);
}

function inUserMessage({ at, message, type }: ParsedBlock, report: Report): void {
  if (type === 'tool_use') {
    const text = `messages.${message}: \`tool_use\` blocks can only be in \`assistant\` messages`;
    report({ rule: 'tool-use-in-user-message', at, text });
  } else if (type === 'thinking' || type === 'redacted_thinking') {
    const text = standIn(`messages.${message}: \`${type}\` blocks can only be in \`assistant\` messages`);
    report({ rule: 'thinking-in-user-message', at, text });
  } else if (isServerCall(type) || isServerResult(type)) {
    const text = standIn(`messages.${message}: \`${type}\` blocks can only be in \`assistant\` messages`);
    report({ rule: 'server-tool-in-user-message', at, text });
  }
}

function inAssistantMessage({ at, message, type }: ParsedBlock, report: Report): void {
  if (type === 'tool_result') {
    const text = `messages.${message}: \`tool_result\` blocks can only be in \`user\` messages`;
    report({ rule: 'tool-result-in-assistant-message', at, text });
  } else if (type === 'image' || type === 'document') {
    const text = standIn(`messages.${message}: \`${type}\` blocks can only be in \`user\` messages`);
    report({ rule: 'media-in-assistant-message', at, text });
  }
}

function insideResult({ at, value }: ParsedBlock, report: Report): void {
  if (value['is_error'] !== true) return;
  const other = blocksOf(value['content'], `${at}.content`).find(({ type }) => type !== 'text');
  if (!other) return;
  const text = `${at}.tool_result: all content must be type \`text\` if \`is_error\` is true`;
  report({ rule: 'error-result-not-text', at: other.at, text });
}
