import type { NormalizeInput } from '../../engine/queries/views.js';
import type { Lengths } from '../schemas/lengths.js';
import { normalizeBody } from '../schemas/view-schemas.js';
import { requireShape } from './validation-errors.js';
import type { Settings } from '../../platform/config/env.js';
import { parseJson } from './json-text.js';

export type NormalizeSettings = Pick<Settings, 'MAX_JSON_DEPTH' | 'MAX_NORMALIZE_VALUES' | 'MAX_BODY_BYTES'> & Lengths;

/** Parses and validates the body of `POST /v1/normalize`, with the same errors as every other body. */
export async function readNormalizeBody(bytes: Uint8Array, settings: NormalizeSettings): Promise<NormalizeInput> {
  const { MAX_JSON_DEPTH: maxDepth, MAX_NORMALIZE_VALUES: maxValues, MAX_BODY_BYTES: maxTextBytes } = settings;
  const value =
    bytes.length === 0 ? {} : parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), { maxDepth, maxValues, maxTextBytes, isTranscript: true });
  await requireShape(value, normalizeBody, settings);
  return value as NormalizeInput;
}
