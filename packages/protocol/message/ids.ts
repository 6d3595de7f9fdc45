/**
 * The uuid of one block of a message, for readers that split messages: the first 24 characters of the message's uuid and the block's index as
 * twelve hexadecimal digits. The same input gives the same uuid in every version.
 */
export function blockUuid(messageUuid: string, index: number): string {
  return messageUuid.slice(0, 24) + index.toString(16).padStart(12, '0');
}

/**
 * The uuid of one of several things that a command makes, by its name: the first 32 bits of `seed` combined (XOR) with the name's FNV-1a hash. Ids of one seed
 * differ already in the part that `blockUuid` keeps. `seed` must be a fresh random uuid, so that no client can take a derived id for its prompt first.
 */
export function deriveId(seed: string, name: string): string {
  const head = (Number.parseInt(seed.slice(0, 8), 16) ^ fnv1a(name)) >>> 0;
  return head.toString(16).padStart(8, '0') + seed.slice(8);
}

/** 32-bit FNV-1a of the name's UTF-16 units. */
function fnv1a(name: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return hash;
}

/** A short tag by which the model can refer to a message: the first ten hexadecimal digits of the uuid, in base 36, six characters at most. */
export function shortId(messageUuid: string): string {
  return parseInt(messageUuid.replaceAll('-', '').slice(0, 10), 16).toString(36).slice(0, 6);
}

/** A uuid (RFC 9562, version 8) made of the first 16 bytes of a hexadecimal SHA-256. */
export function uuidFromSha256(hex: string): string {
  const variant = ((parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, variant + hex.slice(17, 20), hex.slice(20, 32)].join('-');
}
