import { cut } from '../../../packages/protocol/message/text.js';

/** The first `limit` characters, then a notice of how many were left out. `total`: the length of the whole where `text` is only its beginning. */
export function cutOutput(text: string, limit: number, total: number = text.length): string {
  if (total <= limit) return text;
  const beginning = cut(text, limit);
  return `${beginning}\n[Output cut after ${beginning.length} characters: ${total - beginning.length} more were left out]`;
}
