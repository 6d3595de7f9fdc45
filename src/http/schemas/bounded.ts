import { z } from 'zod';
import { MAX_FAULTS } from '../body/validation-errors.js';
import { DEFAULT_LENGTHS, lengthLimit, type LengthSetting } from './lengths.js';

/**
 * An array of at most `most` items; the name of a setting: of its value. Unlike `z.array(…).max(…)`, which validates every item before it compares the length, it compares the length first, and stops at
 * the number of faults that a response reports: no request may occupy the event loop with faults that no response contains.
 */
export function list<Item extends z.ZodType>(item: Item, most: LengthSetting | number): z.ZodArray<Item> {
  return new BoundedArray({ type: 'array', element: item, most } as never) as unknown as z.ZodArray<Item>;
}

/** A record of at most `most` members, which are counted before they are validated. */
export function dictionary<Key extends z.core.$ZodRecordKey, Value extends z.ZodType>(
  key: Key,
  value: Value,
  most: LengthSetting | number,
): z.ZodRecord<Key, Value> {
  const record = new BoundedRecord({ type: 'record', keyType: key, valueType: value, most } as never) as unknown as z.ZodRecord<Key, Value>;
  return record.meta({ maxProperties: documented(most) });
}

/** In the API document, which is the same for every deployment. */
const documented = (most: LengthSetting | number): number => (typeof most === 'number' ? most : DEFAULT_LENGTHS[most]);

interface BoundedArrayDef extends z.core.$ZodArrayDef {
  readonly most: LengthSetting | number;
}

interface BoundedRecordDef extends z.core.$ZodRecordDef {
  readonly most: LengthSetting | number;
}

interface ZodConstructor {
  init(instance: unknown, def: unknown): void;
}

/** Separate zod types, so that `optional`, `meta` and the JSON Schema conversion treat them as the array and the record that they are. */
const BoundedArray = z.core.$constructor('BoundedArray', (instance: z.core.$ZodArray, def: BoundedArrayDef) => {
  (z.ZodArray as unknown as ZodConstructor).init(instance, def);
  const internals = instance._zod;
  internals.bag['maximum'] = documented(def.most);
  internals.parse = (payload, context) => {
    const input: unknown = payload.value;
    if (!Array.isArray(input)) {
      payload.issues.push({ expected: 'array', code: 'invalid_type', input, inst: instance });
      return payload;
    }
    const most = lengthLimit(def.most);
    if (input.length > most) {
      payload.issues.push({ code: 'custom', message: `must not have more than ${most} items`, input, inst: instance });
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

const BoundedRecord = z.core.$constructor('BoundedRecord', (instance: z.core.$ZodRecord, def: BoundedRecordDef) => {
  (z.ZodRecord as unknown as ZodConstructor).init(instance, def);
  const internals = instance._zod;
  const parse = internals.parse;
  internals.parse = (payload, context) => {
    const input: unknown = payload.value;
    const most = lengthLimit(def.most);
    if (typeof input !== 'object' || input === null || Object.keys(input).length <= most) return parse(payload, context);
    payload.issues.push({ code: 'custom', message: `must not have more than ${most} members`, input, inst: instance });
    return payload;
  };
});
