import type { Message } from '../../../packages/protocol/message/message.js';
import { contentBlocksOf } from '../../../packages/protocol/message/message-content.js';

/** Approximate tokens of a large image (docs: Vision) and of a PDF. */
const TOKENS_PER_FILE = 1_600;

/** Approximation for text. */
const CHARACTERS_PER_TOKEN = 4;

/** Approximate tokens of a message in a request: good enough to compare messages, not to count tokens. */
export function roughTokens(message: Message): number {
  if (message.type === 'system' && message.subtype !== 'local_command') return 0;
  return roughTokensOf(contentBlocksOf(message));
}

/** The same for any JSON value; bytes of files are not counted as text. */
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
