import { DomainError } from '../../../packages/protocol/errors.js';
import { parseExact } from '../../../packages/protocol/message/exact-json.js';
import { noteInputs } from '../../../packages/protocol/message/written-input.js';
import { endOfString, syntaxErrorAt } from './json-error.js';
import { rejectLossyJson, rejectUnheldNumbers } from './lossy-json.js';

/** What a JSON text may contain. Checked on its bytes, before it is parsed. */
export interface JsonLimits {
  readonly maxDepth: number;
  /** Values and member names together: what parsing and validating cost grows with them, not with the bytes. */
  readonly maxValues: number;
  /** All strings together but the base64 of images and documents, which are copied, not searched and escaped. */
  readonly maxTextBytes: number;
  /** Of a transcript, or a line of one: inputs of calls keep their text, and a number that a double does not hold becomes text. In any other JSON it is rejected. */
  readonly isTranscript?: boolean;
}

/**
 * Parses a JSON body, or what `subject` names. Rejects bytes that are not UTF-8, text beyond the limits, and values that could not be stored unchanged. Not
 * recursive, so no depth of nesting can exhaust the stack.
 */
export function parseJson(bytes: Buffer, limits: JsonLimits, subject = 'The body'): unknown {
  requireLimits(bytes, limits, subject);
  const text = decode(bytes, subject);
  let value: unknown;
  try {
    value = limits.isTranscript ? parseTranscript(text) : JSON.parse(text);
  } catch {
    const at = syntaxErrorAt(text);
    const where = at < text.length ? `the syntax error is at character ${at}` : 'it ends too early';
    throw new DomainError('malformed_json', `${subject} is not valid JSON: ${where}.`, [], { position: at });
  }
  if (!limits.isTranscript) rejectUnheldNumbers(text, subject);
  rejectLossyJson(value, subject);
  return value;
}

export function parseTranscript(text: string): unknown {
  const value = parseExact(text);
  noteInputs(value, text);
  return value;
}

/** Shorter strings count as text, base64 included. */
const LEAST_BASE64 = 4_096;

/** Members that bring the bytes of images and documents: `data` of a source, `content` of a pasted image, `base64` in the files of Claude Code. */
const FILE_MEMBERS: readonly string[] = ['data', 'content', 'base64'];
const LONGEST_FILE_MEMBER = Math.max(...FILE_MEMBERS.map(({ length }) => length));

/**
 * Counts brackets, commas and colons outside strings, on the raw bytes: UTF-8 uses ASCII bytes for nothing else. Each value is preceded by an opening bracket, a
 * comma or a colon, so their number bounds that of the values.
 */
function requireLimits(bytes: Buffer, { maxDepth, maxValues, maxTextBytes }: JsonLimits, subject: string): void {
  let depth = 0;
  let values = 0;
  let textBytes = 0;
  /** The latest string, which is the name of the member when a colon follows it. */
  let latest: readonly [start: number, end: number] = [0, 0];
  let isMemberValue = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === 0x22) {
      const end = endOfString(bytes, at);
      const isFile = isMemberValue && end - at >= LEAST_BASE64 && isFileMember(bytes, latest) && isBase64(bytes, at + 1, end);
      if (!isFile) textBytes += end - at;
      if (textBytes > maxTextBytes) {
        throw new DomainError('payload_too_large', `${subject} contains more than ${maxTextBytes} bytes of text.`, [], { limit: maxTextBytes });
      }
      latest = [at + 1, end];
      isMemberValue = false;
      at = end;
      continue;
    }
    if (byte === 0x7d || byte === 0x5d) depth -= 1;
    else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      values += 1;
      isMemberValue = false;
      if (depth > maxDepth) {
        throw new DomainError('invalid_input', `${subject} is nested deeper than ${maxDepth} levels.`, [{ pointer: '', text: `is too deep at byte ${at}` }]);
      }
    } else if (byte === 0x2c || byte === 0x3a) {
      values += 1;
      isMemberValue = byte === 0x3a;
    }
    if (values <= maxValues) continue;
    throw new DomainError('payload_too_large', `${subject} contains more than ${maxValues} values and member names.`, [], { limit: maxValues });
  }
}

function isFileMember(bytes: Buffer, [start, end]: readonly [start: number, end: number]): boolean {
  return end - start <= LONGEST_FILE_MEMBER && FILE_MEMBERS.includes(bytes.toString('latin1', start, end));
}

/** Standard or URL alphabet, padding included; an escaped slash is one too. */
function isBase64(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) if (BASE64[bytes[at]!] !== 1) return false;
  return true;
}

const BASE64 = new Uint8Array(256);
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-_\\') BASE64[character.charCodeAt(0)] = 1;

function decode(bytes: Buffer, subject: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new DomainError('malformed_json', `${subject} is not valid UTF-8.`);
  }
}
