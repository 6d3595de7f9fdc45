import { z } from 'zod';
import type { Json } from '../../core/message/content.js';

type JsonObject = { readonly [key: string]: Json };

/** Anything a body can hold; it came out of a JSON parser, so there is nothing to check. */
export const json = z.unknown() as unknown as z.ZodType<Json, Json>;

/** Any object, handed on as it is. */
export const jsonObject = z
  .unknown()
  .refine((value) => typeof value === 'object' && value !== null && !Array.isArray(value), 'must be an object')
  .meta({ type: 'object', additionalProperties: true }) as unknown as z.ZodType<JsonObject, JsonObject>;

/** Ids as other systems make them are taken too, so any version and variant will do. */
export const uuid = z.guid('must be a uuid').meta({ format: 'uuid' });

export const time = z.iso.datetime({ offset: true }).meta({ description: 'RFC 3339.' });

/** Text that ends up in columns rather than in the log, which cannot hold every character. */
export function label(most: number) {
  return z
    .string()
    .min(1)
    .max(most)
    .refine((text) => !text.includes('\u0000') && text.isWellFormed(), 'must not hold the character U+0000 or half a surrogate pair');
}

/** Longest title, name of a token or of a user, in UTF-16 code units. */
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
  .enum(['true', 'false'])
  .transform((value) => value === 'true')
  .meta({ type: 'boolean' });
