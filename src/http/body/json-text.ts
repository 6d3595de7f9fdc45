import { DomainError } from '../../core/errors.js';
import { endOfString, syntaxErrorAt } from './json-error.js';
import { rejectLossyJson } from './lossy-json.js';

/** What a JSON text may contain. Checked on its bytes, before it is parsed. */
export interface JsonLimits {
  readonly maxDepth: number;
  /** Values and member names together: what parsing and validating cost grows with them, not with the bytes. */
  readonly maxValues: number;
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
    value = JSON.parse(text);
  } catch {
    const at = syntaxErrorAt(text);
    const where = at < text.length ? `the syntax error is at character ${at}` : 'it ends too early';
    throw new DomainError('malformed_json', `${subject} is not valid JSON: ${where}.`, [], { position: at });
  }
  rejectLossyJson(value, subject);
  return value;
}

/**
 * Counts brackets, commas and colons outside strings, on the raw bytes: UTF-8 uses ASCII bytes for nothing else. Each value is preceded by an opening bracket, a
 * comma or a colon, so their number bounds that of the values.
 */
function requireLimits(bytes: Buffer, { maxDepth, maxValues }: JsonLimits, subject: string): void {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === 0x22) {
      at = endOfString(bytes, at);
      continue;
    }
    if (byte === 0x7d || byte === 0x5d) depth -= 1;
    else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      values += 1;
      if (depth > maxDepth) {
        throw new DomainError('invalid_input', `${subject} is nested deeper than ${maxDepth} levels.`, [{ pointer: '', text: `is too deep at byte ${at}` }]);
      }
    } else if (byte === 0x2c || byte === 0x3a) values += 1;
    if (values <= maxValues) continue;
    throw new DomainError('payload_too_large', `${subject} contains more than ${maxValues} values and member names.`, [], { limit: maxValues });
  }
}

function decode(bytes: Buffer, subject: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new DomainError('malformed_json', `${subject} is not valid UTF-8.`);
  }
}
