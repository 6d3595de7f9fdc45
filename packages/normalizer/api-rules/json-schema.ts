import { isObject } from './parsed-request.js';

/** Keywords of JSON Schema draft 2020-12 by what their value is. */
const OF_SCHEMAS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
const LISTS_OF_SCHEMAS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const SCHEMAS = ['items', 'contains', 'additionalProperties', 'propertyNames', 'not', 'if', 'then', 'else', 'unevaluatedItems', 'unevaluatedProperties'];
const NUMBERS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const COUNTS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties', 'minContains', 'maxContains'];
const TEXTS = ['title', 'description', 'pattern', 'format', '$ref', '$id', '$schema', '$comment'];
const TYPES: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

const isList = (value: unknown, holds: (item: unknown) => boolean): boolean => Array.isArray(value) && value.every(holds);
const isText = (value: unknown): boolean => typeof value === 'string';
const isSchema = (value: unknown): boolean => typeof value === 'boolean' || isObject(value);

const IS_VALID: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: (value) => TYPES.has(value) || (isList(value, (one) => TYPES.has(one)) && (value as unknown[]).length > 0),
  required: (value) => isList(value, isText),
  enum: Array.isArray,
  ...Object.fromEntries([
    ...OF_SCHEMAS.map((name) => [name, (value: unknown) => isObject(value) && Object.values(value).every(isSchema)] as const),
    ...LISTS_OF_SCHEMAS.map((name) => [name, (value: unknown) => isList(value, isSchema)] as const),
    ...SCHEMAS.map((name) => [name, isSchema] as const),
    ...NUMBERS.map((name) => [name, (value: unknown) => typeof value === 'number'] as const),
    ...COUNTS.map((name) => [name, (value: unknown) => Number.isInteger(value) && (value as number) >= 0] as const),
    ...TEXTS.map((name) => [name, isText] as const),
  ]),
};

/** Path of the first keyword with a value that it cannot have, such as `.properties.a.type`; null: the schema is valid. Iterative, so deep schemas cannot overflow the stack. */
export function schemaFault(schema: unknown): string | null {
  const waiting: { readonly at: string; readonly value: unknown }[] = [{ at: '', value: schema }];
  for (let part = waiting.pop(); part; part = waiting.pop()) {
    const { at, value } = part;
    if (!isObject(value)) continue;
    for (const [name, member] of Object.entries(value)) {
      if (member === null || member === undefined || !Object.hasOwn(IS_VALID, name)) continue; // the API takes null for an absent member
      if (!IS_VALID[name]!(member)) return `${at}.${name}`;
      const inner = SCHEMAS.includes(name) ? { '': member } : OF_SCHEMAS.includes(name) || LISTS_OF_SCHEMAS.includes(name) ? (member as object) : {};
      for (const [key, one] of Object.entries(inner)) waiting.push({ at: `${at}.${name}${key === '' ? '' : `.${key}`}`, value: one });
    }
  }
  return null;
}
