/** Cutting texts. Lengths are UTF-16 units, as `String.length` counts them; no result ends in half a surrogate pair. */

const encoder = new TextEncoder();

/** The first `length` units of a text; the text itself when it has no more. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : withoutSplitPair(text.slice(0, length));
}

/** The same with an ellipsis where something was left out; the ellipsis is not counted. */
export function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${cut(text, length)}…`;
}

/** A text without the high surrogate at its end, where a cut has left one. */
export function withoutSplitPair(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}

/** Bytes of a text in UTF-8. */
export function utf8Length(text: string): number {
  return encoder.encode(text).length;
}

/** The longest beginning of a text that fits into that many bytes of UTF-8. */
export function cutToBytes(text: string, bytes: number): string {
  const { read } = encoder.encodeInto(text, new Uint8Array(bytes));
  return text.slice(0, read);
}
