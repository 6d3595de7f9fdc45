/**
 * The uuid of one block of a message, for readers that split messages: the first 24 characters of the message's uuid and the block's index as
 * twelve hexadecimal digits. Same input, same uuid, always.
 */
export function blockUuid(messageUuid: string, index: number): string {
  return messageUuid.slice(0, 24) + index.toString(16).padStart(12, '0');
}

/** A short tag by which the model can name a message: the first ten hexadecimal digits of the uuid, in base 36, six characters at most. */
export function shortId(messageUuid: string): string {
  return parseInt(messageUuid.replaceAll('-', '').slice(0, 10), 16).toString(36).slice(0, 6);
}

/** A uuid (RFC 9562, version 8) made of the first 16 bytes of a hexadecimal SHA-256. */
export function uuidFromSha256(hex: string): string {
  const variant = ((parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, variant + hex.slice(17, 20), hex.slice(20, 32)].join('-');
}
