import { blocksOf, type ContentBlock, textOf } from '../../../packages/protocol/message/content.js';
import type { StoredMessage } from '../../../packages/protocol/message/message.js';
import { asVisible } from './visible.js';

/** What a person wrote or the model answered, as text; null for every other message: results of tools, notices, thinking, and what readers do not see. */
export function readerText(message: StoredMessage): string | null {
  const text = message.erased || asVisible(message) === null ? '' : written(message);
  return text.trim() === '' ? null : text;
}

/** The start of a text on one line, at most `characters` UTF-16 code units, never half a character. */
export function preview(text: string, characters: number): string {
  const line = text
    .slice(0, characters * 4)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= characters
    ? line
    : `${line
        .slice(0, characters - 1)
        .toWellFormed()
        .replace(/\uFFFD$/, '')}…`;
}

function written(message: StoredMessage): string {
  switch (message.type) {
    case 'user':
      return message.isInterruption || message.isCompactSummary ? '' : textIn(blocksOf(message.content));
    case 'assistant':
      return message.isApiErrorMessage ? '' : textIn(message.message.content);
    default:
      return '';
  }
}

/** Files bring text blocks without text. */
const textIn = (blocks: readonly ContentBlock[]): string => textOf(blocks.filter((block) => block.type === 'text' && typeof block.text === 'string'));
