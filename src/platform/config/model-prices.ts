import { z } from 'zod';

const dollars = z.number().min(0).max(10_000);

/** Length of the name of a model family. */
const NAME_LENGTH = 100;

/** US dollars per million tokens. */
export const modelPrice = z.strictObject({
  input: dollars,
  output: dollars,
  cacheRead: dollars.optional(),
  cacheWrite: dollars.optional(),
  cacheWriteHour: dollars.optional(),
});

/** A JSON object with prices by model family; which families there are is checked where they are known (src/engine/commands/price-table.ts). */
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
  .pipe(z.record(z.string().max(NAME_LENGTH), modelPrice));
