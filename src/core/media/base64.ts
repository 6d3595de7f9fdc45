/** Bytes of a base64 text, each decoded when asked for: a header costs the same in a picture of any size. */
export interface Base64Bytes {
  readonly length: number;
  /** The byte at `index`; 0 past the end. */
  at(index: number): number;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** Above any value: no digit. */
const NONE = 64;
const SEXTETS = new Uint8Array(128).fill(NONE);
for (let value = 0; value < ALPHABET.length; value += 1) SEXTETS[ALPHABET.charCodeAt(value)] = value;

/** `undefined` when the text is not standard base64. */
export function base64Bytes(text: string): Base64Bytes | undefined {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const digits = padding > 0 ? text.slice(0, -padding) : text;
  if (digits.length % 4 === 1 || (padding > 0 && text.length % 4 !== 0) || !isDigits(digits)) return undefined;
  const sextet = (position: number): number => SEXTETS[digits.charCodeAt(position)] ?? 0;
  const length = Math.floor((digits.length * 3) / 4);
  const at = (index: number): number => {
    if (index < 0 || index >= length) return 0;
    const phase = index % 3;
    const start = ((index - phase) / 3) * 4 + phase;
    return ((sextet(start) << (2 + 2 * phase)) | (sextet(start + 1) >> (4 - 2 * phase))) & 0xff;
  };
  return { length, at };
}

/** A regular expression takes several times as long, and this is asked of every picture of every request. */
function isDigits(text: string): boolean {
  let worst = 0;
  for (let index = 0; index < text.length; index += 1) worst |= SEXTETS[text.charCodeAt(index)] ?? NONE;
  return worst < NONE;
}

/** Bytes `from` up to `to` as Latin-1 text. */
export function latin1({ at, length }: Base64Bytes, from: number, to: number): string {
  let text = '';
  for (let index = Math.max(0, from); index < Math.min(to, length); index += 1) text += String.fromCharCode(at(index));
  return text;
}
