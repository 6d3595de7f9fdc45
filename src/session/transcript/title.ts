import { cut } from '../../../packages/protocol/message/text.js';
import { TITLE_OPENING } from '../../../packages/protocol/message/wire-texts.js';
import type { SessionState } from '../state/state.js';
import { path } from '../state/tree.js';
import { readerText } from './reader-text.js';

/** Characters of the question and of the answer that the model reads for a title. */
const EXCERPT_CHARACTERS = 2_000;
/** Characters of a title. */
const TITLE_CHARACTERS = 100;

/** Whether the model may name the session: its first turn has just ended well, and no person has set a title or taken it away. */
export function needsTitle(state: SessionState): boolean {
  if (state.settings.title !== null || state.titleChosen || state.status === 'closed') return false;
  return [...state.turns.values()].filter(({ status }) => status === 'completed').length === 1;
}

/** The text that asks the model for a title; null when the conversation has no text yet. */
export function titleRequest(state: SessionState): string | null {
  const texts: string[] = [];
  for (const { message } of path(state)) {
    const text = readerText(message);
    if (text === null) continue;
    texts.push(`${message.type === 'assistant' ? 'Assistant' : 'User'}: ${cut(text.toWellFormed().trim(), EXCERPT_CHARACTERS)}`);
    if (texts.length === 2) break;
  }
  return texts.length === 0 ? null : [TITLE_OPENING, ...texts].join('\n\n');
}

/** The title in an answer: its first line without quotation marks and a final full stop; null when nothing is left. */
export function titleIn(answer: string): string | null {
  const line = answer.trim().split(/[\r\n]/, 1)[0] ?? '';
  const bare = line
    .toWellFormed()
    .replaceAll('\0', '')
    .replace(/^["'“”‘’#*\s]+|["'“”‘’.*\s]+$/g, '');
  return bare === '' ? null : cut(bare, TITLE_CHARACTERS);
}
