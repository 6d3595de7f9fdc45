import { standIn, type Report } from './problem.js';
import { setsOnlyOutput } from './roles.js';
import { blocksOf, isObject, listOf, textOf, type ParsedBlock, type ParsedMessage, type Stage } from './parsed-request.js';

/** Empty and whitespace-only content (docs: Errors; Handle tool calls). */
export const emptyContent: Stage = ({ body, messages, settings }, report) => {
  system(body['system'], report);
  for (const message of messages) {
    if (!setsOnlyOutput(body, message)) emptyMessage(message, message.index === messages.length - 1, report);
    for (const block of message.blocks) {
      emptyText(block, report);
      emptyCompaction(block, report);
      if (block.type === 'tool_result') emptyResult(block, settings.disputedRules === 'reject', report);
    }
    blankMessage(message, report);
  }
};

const isText = ({ type, value }: ParsedBlock): boolean => type === 'text' && typeof value['text'] === 'string';
const isBlank = ({ value }: ParsedBlock): boolean => textOf(value['text']).trim() === '';

function system(content: unknown, report: Report): void {
  listOf(content).forEach((block, index) => {
    if (!isObject(block) || block['text'] !== '') return;
    report({ rule: 'empty-text', at: `system.${index}`, text: 'system: text content blocks must be non-empty' });
  });
}

function emptyMessage({ index, role, isEmpty }: ParsedMessage, isLast: boolean, report: Report): void {
  if (!isEmpty || (isLast && role === 'assistant')) return;
  const at = `messages.${index}`;
  const text = `${at}: all messages must have non-empty content except for the optional final assistant message`;
  report({ rule: 'empty-message', at, text });
}

/** Includes the text blocks nested in tool results, search results and documents. Recursion is bounded: each type holds only types after it. */
function emptyText(block: ParsedBlock, report: Report): void {
  if (isText(block) && block.value['text'] === '') {
    report({ rule: 'empty-text', at: block.at, text: 'messages: text content blocks must be non-empty' });
  }
  for (const inner of innerBlocks(block)) emptyText(inner, report);
}

/** A compaction block without a summary has `content: null` (docs: Compaction). */
function emptyCompaction({ at, type, value }: ParsedBlock, report: Report): void {
  if (type !== 'compaction' || value['content'] !== '') return;
  report({ rule: 'empty-compaction', at, text: standIn(`${at}.compaction.content: must be non-empty or null`) });
}

function innerBlocks({ at, type, value }: ParsedBlock): readonly ParsedBlock[] {
  if (type === 'tool_result') return blocksOf(value['content'], `${at}.content`).filter((inner) => inner.type !== 'tool_result');
  if (type === 'search_result') return blocksOf(value['content'], `${at}.content`).filter(isText);
  if (type === 'document' && isObject(value['source'])) return blocksOf(value['source']['content'], `${at}.source.content`).filter(isText);
  return [];
}

/** A successful result may be empty, a failed one may not. Sources disagree on `content: []` in a successful result. */
function emptyResult({ at, value }: ParsedBlock, rejectsEmptyList: boolean, report: Report): void {
  const content = value['content'];
  const isEmptyList = Array.isArray(content) && content.length === 0;
  if (value['is_error'] !== true) {
    const text = standIn(`${at}.tool_result.content: leave out an empty list`);
    if (isEmptyList && rejectsEmptyList) report({ rule: 'empty-result-list', at: `${at}.content`, text });
    return;
  }
  if (content !== undefined && content !== null && content !== '' && !isEmptyList) return;
  report({
    rule: 'empty-error-result',
    at,
    text: `${at}.tool_result: content cannot be empty if \`is_error\` is true`,
  });
}

/** Whitespace-only text is accepted only when another text block of the message has non-whitespace text. */
function blankMessage({ blocks }: ParsedMessage, report: Report): void {
  const texts = blocks.filter(isText);
  if (texts.some((block) => !isBlank(block))) return;
  for (const block of texts) {
    if (block.value['text'] === '') continue;
    report({
      rule: 'blank-text',
      at: block.at,
      text: 'messages: text content blocks must contain non-whitespace text',
    });
  }
}
