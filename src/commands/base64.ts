/** The bytes of a standard base64 text, which may be broken into lines; null when it is none. Of padding, only that it is not too much is asked. */
export function bytesOfBase64(text: string): Uint8Array | null {
  const content = Buffer.from(text, 'base64');
  // The decoder passes over whatever is no base64, and then its answer is shorter than the text says.
  if (content.length === lengthOf(text)) return isStandard(text) ? content : null;
  const joined = text.replace(/[\t\n\r ]+/g, '');
  return content.length === lengthOf(joined) && isStandard(joined) ? content : null;
}

/** -1 for a length that no base64 text has. */
function lengthOf(text: string): number {
  const digits = text.length - (text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0);
  return digits % 4 === 1 ? -1 : Math.floor((digits * 3) / 4);
}

/** The decoder takes the letters of the other alphabet too; the model API does not. */
const isStandard = (text: string): boolean => !text.includes('-') && !text.includes('_');
