import type { NormalizeInput } from '../../queries/views.js';
import { normalizeBody } from '../schemas/view-schemas.js';
import { requireShape } from './validation-errors.js';
import { type JsonLimits, parseJson } from './json-text.js';

/** Parses and validates the body of `POST /v1/normalize`, with the same errors as every other body. */
export async function readNormalizeBody(bytes: Uint8Array, limits: JsonLimits): Promise<NormalizeInput> {
  const value = bytes.length === 0 ? {} : parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), limits);
  await requireShape(value, normalizeBody);
  return value as NormalizeInput;
}
