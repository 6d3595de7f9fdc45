import type { Base64Bytes } from '../../../packages/normalizer/media/base64.js';

/** Decodes standard base64, with or without line breaks; null for any other text. Missing padding is accepted, excess padding is not. */
export function decodeBase64(text: string): Uint8Array | null {
  const content = Buffer.from(text, 'base64');
  // The decoder skips characters that are not base64; its result is then shorter than the text's length implies.
  if (content.length === lengthOf(text)) return isStandard(text) ? content : null;
  const joined = text.replace(/[\t\n\r ]+/g, '');
  return content.length === lengthOf(joined) && isStandard(joined) ? content : null;
}

/** Decoded length in bytes; -1 for a length that base64 cannot have. */
function lengthOf(text: string): number {
  const digits = text.length - (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0);
  return digits % 4 === 1 ? -1 : Math.floor((digits * 3) / 4);
}

/** The decoder accepts base64url too; the model API does not. */
const isStandard = (text: string): boolean => !text.includes('-') && !text.includes('_');

/** Decoded bytes as the readers of headers take them. */
export const asBytes = (content: Uint8Array): Base64Bytes => ({ length: content.length, at: (index) => content[index] ?? 0 });
