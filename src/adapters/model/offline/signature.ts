import { createHash } from 'node:crypto';

const MARK = 'offline:';

/** What the offline model signs a thought with. */
export const signatureOf = (thinking: string): string => MARK + createHash('sha256').update(thinking.toWellFormed()).digest('base64');

/** Whether a thinking block is as the offline model made it. Of blocks that it did not make it can say nothing: signed ones pass. */
export function signatureIsValid(block: { readonly [key: string]: unknown }): boolean {
  const signature = block['signature'] ?? block['data'];
  if (typeof signature !== 'string' || !signature.startsWith(MARK)) return signature !== '';
  return typeof block['thinking'] === 'string' && signature === signatureOf(block['thinking']);
}
