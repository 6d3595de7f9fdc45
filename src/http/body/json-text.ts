import { DomainError } from '../../core/errors.js';
import { endOfString, syntaxErrorAt } from './json-error.js';
import { refuseWhatWouldBeLost } from './lossy-json.js';

/** What a body may be, before anything looks into it. */
export interface JsonLimits {
  readonly maxBytes: number;
  readonly maxDepth: number;
}

/**
 * Parses a JSON body, or whatever `subject` calls it. Refuses bytes that are not UTF-8, nesting deeper than `maxDepth`, and what would not survive being kept. Nothing here calls
 * itself, so no depth of nesting can exhaust the stack.
 */
export function parseJson(bytes: Buffer, maxDepth: number, subject = 'The body'): unknown {
  refuseDepth(bytes, maxDepth, subject);
  const text = decode(bytes, subject);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const at = syntaxErrorAt(text);
    const where = at < text.length ? `it breaks at character ${at}` : 'it ends too early';
    throw new DomainError('malformed_json', `${subject} is not valid JSON: ${where}.`, [], { position: at });
  }
  refuseWhatWouldBeLost(value, subject);
  return value;
}

/** Counts brackets outside strings on the raw bytes, which is safe since UTF-8 uses ASCII bytes for nothing else. */
function refuseDepth(bytes: Buffer, maxDepth: number, subject: string): void {
  let depth = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === 0x22) at = endOfString(bytes, at);
    else if (byte === 0x7d || byte === 0x5d) depth -= 1;
    else if (byte === 0x7b || byte === 0x5b) {
      depth += 1;
      if (depth <= maxDepth) continue;
      throw new DomainError('invalid_input', `${subject} is nested deeper than ${maxDepth} levels.`, [{ pointer: '', text: `goes too deep at byte ${at}` }]);
    }
  }
}

function decode(bytes: Buffer, subject: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new DomainError('malformed_json', `${subject} is not valid UTF-8.`);
  }
}
