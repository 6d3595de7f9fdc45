import { standIn, type Report } from './problem.js';
import { blocksOf, type ParsedBlock, type Stage } from './parsed-request.js';
import { isServerCall, isServerResult } from './server-tools.js';

/** Block types permitted per role and in failed tool results (docs: Handle tool calls; Vision; Thinking). */
export const placement: Stage = ({ messages }, report) => {
  for (const { role, blocks } of messages) {
    for (const block of blocks) {
      if (role === 'user') inUserMessage(block, report);
      if (role === 'assistant') inAssistantMessage(block, report);
      if (block.type === 'tool_result') insideResult(block, report);
    }
  }
};

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
