import type { Message } from '../message/message.js';
import { contentBlocksOf } from '../message/message-content.js';

/** Docs: Vision: a large picture comes to about so many tokens; a page of a PDF to about the same. */
const TOKENS_PER_FILE = 1_600;

/** Rough: four characters of text to a token. */
const CHARACTERS_PER_TOKEN = 4;

/** About how many tokens a message takes in a request: good for comparing messages, not for counting. */
export function roughTokens(message: Message): number {
  if (message.type === 'system' && message.subtype !== 'local_command') return 0;
  return roughTokensOf(contentBlocksOf(message));
}

/** The same of any JSON value; bytes of files are not counted as text. */
export function roughTokensOf(value: unknown): number {
  let characters = 0;
  let files = 0;
  const rest: unknown[] = [value];
  while (rest.length > 0) {
    const next = rest.pop();
    if (typeof next === 'string') characters += next.length;
    else if (typeof next === 'object' && next !== null) {
      const isFile = 'source' in next && 'type' in next && (next.type === 'image' || next.type === 'document');
      if (isFile) files += 1;
      else for (const member of Object.values(next)) rest.push(member);
    }
  }
  return Math.ceil(characters / CHARACTERS_PER_TOKEN) + files * TOKENS_PER_FILE;
}
