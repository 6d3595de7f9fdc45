import type { NormalizeInput } from '../../queries/views.js';
import { normalizeBody } from '../schemas/view-schemas.js';
import { requireShape } from './validation-errors.js';
import { parseJson } from './json-text.js';

/** The body of a dry run, from its bytes; refused as any other body would be. */
export async function readNormalizeBody(bytes: Uint8Array, maxDepth: number): Promise<NormalizeInput> {
  const value = bytes.length === 0 ? {} : parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), maxDepth);
  await requireShape(value, normalizeBody);
  return value as NormalizeInput;
}
