import type { Stage } from './parsed-request.js';
import { standIn } from './problem.js';

/** Measurements of the output of `JSON.stringify`, taken without producing it. */
interface SerializedSize {
  readonly bytes: number;
  /** The first lone surrogate: JSON path, and offset in the serialized text in UTF-16 units. */
  readonly loneSurrogate?: { readonly at: string; readonly offset: number };
}

interface Frame {
  readonly keys: readonly string[] | undefined;
  readonly values: readonly unknown[];
  next: number;
  wrote: boolean;
}

/** The serialized body: well-formed Unicode, and within the size limit (docs: Errors, "Request size limits"). */
export const wire: Stage = ({ body, profile, settings }, report) => {
  const { bytes, loneSurrogate } = measure(body);
  if (loneSurrogate) {
    const { at, offset } = loneSurrogate;
    const place = `line 1 column ${offset + 1} (char ${offset})`;
    report({
      rule: 'invalid-json',
      at,
      text: `The request body is not valid JSON: no low surrogate in string: ${place}`,
    });
  }
  if ((settings.bodyBytes ?? bytes) > profile.maxBodyBytes) {
    report({ rule: 'request-too-large', at: '', text: 'Request exceeds the maximum size', status: 413 });
  }
  if (Array.isArray(body['messages']) && body['messages'].length > profile.maxMessages) {
    const text = standIn(`messages: at most ${profile.maxMessages} messages are allowed, found ${body['messages'].length}`);
    report({ rule: 'too-many-messages', at: 'messages', text });
  }
};

/** Iterative, so deep nesting cannot overflow the stack. */
function measure(root: unknown): SerializedSize {
  const stack: Frame[] = [];
  let bytes = 0;
  let units = 0;
  let loneSurrogate: SerializedSize['loneSurrogate'];

  const text = (value: string): void => {
    if (!loneSurrogate && !value.isWellFormed()) {
      const path = stack.map((frame) => (frame.keys ? frame.keys[frame.next - 1] : frame.next - 1));
      loneSurrogate = { at: path.join('.'), offset: units + firstLone(value) };
    }
    const size = sizeOf(value);
    bytes += size.bytes;
    units += size.units;
  };
  const plain = (length: number): void => {
    bytes += length;
    units += length;
  };
  const open = (value: unknown): void => {
    if (typeof value === 'string') text(value);
    else if (Array.isArray(value)) {
      plain(1);
      stack.push({ keys: undefined, values: value, next: 0, wrote: false });
    } else if (typeof value === 'object' && value !== null) {
      plain(1);
      stack.push({ keys: Object.keys(value), values: Object.values(value), next: 0, wrote: false });
    } else plain(String(value ?? null).length);
  };

  open(root);
  for (let frame = stack.at(-1); frame; frame = stack.at(-1)) {
    if (frame.next === frame.values.length) {
      stack.pop();
      plain(1);
      continue;
    }
    const value = frame.values[frame.next];
    const key = frame.keys?.[frame.next];
    frame.next += 1;
    if (key !== undefined && value === undefined) continue;
    if (frame.wrote) plain(1);
    frame.wrote = true;
    if (key !== undefined) {
      text(key);
      plain(1);
    }
    open(value);
  }
  return loneSurrogate ? { bytes, loneSurrogate } : { bytes };
}

const PRINTABLE_ASCII = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;
/** Size of a string as JSON, including quotes: UTF-8 bytes and UTF-16 units. By code unit: texts have millions of characters. */
function sizeOf(value: string): { readonly bytes: number; readonly units: number } {
  if (PRINTABLE_ASCII.test(value)) return { bytes: value.length + 2, units: value.length + 2 };
  let bytes = 2;
  let units = 2;
  for (let at = 0; at < value.length; at += 1) {
    const code = value.charCodeAt(at);
    if (code < 0x80) {
      const size = asciiSize(code);
      bytes += size;
      units += size;
    } else if (code < 0x800) {
      bytes += 2;
      units += 1;
    } else if (code < 0xd800 || code > 0xdfff) {
      bytes += 3;
      units += 1;
    } else if (code < 0xdc00 && isLowSurrogate(value.charCodeAt(at + 1))) {
      bytes += 4;
      units += 2;
      at += 1;
    } else {
      bytes += 6; // JSON.stringify escapes a lone surrogate
      units += 6;
    }
  }
  return { bytes, units };
}

/** Of a character in JSON: itself, a short escape, or \u00XX. */
function asciiSize(code: number): number {
  if (code >= 0x20) return code === 0x22 || code === 0x5c ? 2 : 1;
  return code === 0x08 || code === 0x09 || code === 0x0a || code === 0x0c || code === 0x0d ? 2 : 6;
}

const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code <= 0xdfff;

/** UTF-16 units before the first lone surrogate of a string as JSON, including the opening quote. */
function firstLone(value: string): number {
  let end = 0;
  for (const character of value) {
    if (!character.isWellFormed()) break;
    end += character.length;
  }
  return sizeOf(value.slice(0, end)).units - 1;
}
