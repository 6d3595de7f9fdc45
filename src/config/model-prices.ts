import { z } from 'zod';
import { type OwnPrice, PRICED_FAMILIES } from '../core/models/prices.js';

const dollars = z.number().min(0).max(10_000);

/** A JSON object with prices by model family. */
export const modelPrices = z
  .string()
  .default('{}')
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      context.issues.push({ code: 'custom', message: 'must be a JSON object such as {"claude-opus-5":{"input":5,"output":25}}', input: text });
      return z.NEVER;
    }
  })
  .pipe(
    z.partialRecord(
      z.enum(PRICED_FAMILIES, `a price is for one of ${PRICED_FAMILIES.join(', ')}`),
      z.strictObject({ input: dollars, output: dollars, cacheRead: dollars.optional(), cacheWrite: dollars.optional(), cacheWriteHour: dollars.optional() }),
    ),
  )
  .transform((prices) => prices as Readonly<Record<string, OwnPrice>>);
