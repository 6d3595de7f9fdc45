import { z } from 'zod';
import type { Json } from '../../../packages/protocol/message/content.js';

type JsonObject = { readonly [key: string]: Json };

/** Any JSON value. It is the output of a JSON parser, so there is nothing to check. */
export const json = z.unknown() as unknown as z.ZodType<Json, Json>;

/** Any JSON object, passed unchanged. */
export const jsonObject = z
  .unknown()
  .refine((value) => typeof value === 'object' && value !== null && !Array.isArray(value), 'must be an object')
  .meta({ type: 'object', additionalProperties: true }) as unknown as z.ZodType<JsonObject, JsonObject>;

/** Any version and variant, because ids made by other systems are accepted. */
export const uuid = z.guid('must be a uuid').meta({ format: 'uuid' });

export const time = z.iso.datetime({ offset: true }).meta({ description: 'RFC 3339.' });

/** Text that is stored in a column of type text, which cannot hold U+0000. */
export function label(most: number) {
  return z
    .string()
    .min(1)
    .max(most)
    .refine((text) => !text.includes('\u0000') && text.isWellFormed(), 'must not contain the character U+0000 or an unpaired surrogate');
}

/** Maximum length of a title and of the name of a token or user, in UTF-16 code units. */
export const LABEL_LENGTH = 1_000;

/** A number in a query string. */
export function queryInteger(least: number, most: number) {
  return z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= least && value <= most, `must be between ${least} and ${most}`)
    .meta({ type: 'integer', minimum: least, maximum: most });
}

export const queryFlag = z
  .string()
  .refine((value) => value === 'true' || value === 'false', 'must be true or false')
  .transform((value) => value === 'true')
  .meta({ type: 'boolean' });
