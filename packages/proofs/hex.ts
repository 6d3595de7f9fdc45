/** The bytes of hexadecimal digits; dashes, as in a uuid, are skipped. */
export function fromHex(text: string): Uint8Array {
  const digits = text.replaceAll('-', '');
  return Uint8Array.from({ length: digits.length >> 1 }, (_, index) => Number.parseInt(digits.slice(2 * index, 2 * index + 2), 16));
}

export const toHex = (bytes: Uint8Array): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
