import { z } from 'zod';
import { MAX_FAULTS } from '../body/validation-errors.js';

/**
 * An array of at most `most` items. Unlike `z.array(…).max(…)`, which validates every item before it compares the length, it compares the length first, and stops at
 * the number of faults that a response reports: no request may occupy the event loop with faults that no response contains.
 */
export function list<Item extends z.ZodType>(item: Item, most: number): z.ZodArray<Item> {
  return new BoundedArray({ type: 'array', element: item, most } as never) as unknown as z.ZodArray<Item>;
}

/** A record of at most `most` members, which are counted before they are validated. */
export function dictionary<Key extends z.core.$ZodRecordKey, Value extends z.ZodType>(key: Key, value: Value, most: number): z.ZodRecord<Key, Value> {
  const counted = z.preprocess(
    (members, context) => {
      if (typeof members === 'object' && members !== null && Object.keys(members).length > most) {
        context.addIssue({ code: 'custom', message: `must not have more than ${most} members` });
      }
      return members;
    },
    z.record(key, value).meta({ maxProperties: most }),
  );
  return counted as unknown as z.ZodRecord<Key, Value>;
}

interface BoundedArrayDef extends z.core.$ZodArrayDef {
  readonly most: number;
}

interface ZodConstructor {
  init(instance: unknown, def: unknown): void;
}

/** A zod type of its own, so that `optional`, `meta` and the JSON Schema conversion treat it as the array that it is. */
const BoundedArray = z.core.$constructor('ZodArray', (instance: z.core.$ZodArray, def: BoundedArrayDef) => {
  (z.ZodArray as unknown as ZodConstructor).init(instance, def);
  const internals = instance._zod;
  internals.bag['maximum'] = def.most;
  internals.parse = (payload, context) => {
    const input: unknown = payload.value;
    if (!Array.isArray(input)) {
      payload.issues.push({ expected: 'array', code: 'invalid_type', input, inst: instance });
      return payload;
    }
    if (input.length > def.most) {
      payload.issues.push({ code: 'custom', message: `must not have more than ${def.most} items`, input, inst: instance });
      return payload;
    }
    const output: unknown[] = [];
    for (let index = 0; index < input.length && payload.issues.length < MAX_FAULTS; index += 1) {
      const result = def.element._zod.run({ value: input[index], issues: [] }, context) as z.core.ParsePayload;
      if (result.issues.length > 0) payload.issues.push(...z.core.util.prefixIssues(index, result.issues));
      output.push(result.value);
    }
    payload.value = output;
    return payload;
  };
});
