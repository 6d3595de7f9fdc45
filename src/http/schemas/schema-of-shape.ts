import { z } from 'zod';
import type { Form, Members, Shape } from '../../../packages/protocol/shape/shape.js';
import { json, jsonObject, time, uuid } from './json.js';

/** A named schema must be one object, wherever it is used. */
const made = new WeakMap<Form, z.ZodType>();

type Components = Readonly<Record<string, z.ZodType>>;

/** The schema of what the packages describe: for the API document, and to validate. */
export function schemaOf<T>({ form, use, presence }: Shape<T, 'always' | 'optional'>, components: Components = {}): z.ZodType<T, T> {
  let schema = made.get(form) ?? named(form, components);
  made.set(form, schema);
  if (use.isNullable) schema = schema.nullable();
  if (presence === 'optional') schema = schema.optional();
  return (use.about === undefined ? schema : schema.meta({ description: use.about })) as z.ZodType<T, T>;
}

/** The same of each member. */
export const schemasOf = <M extends Members>(members: M, components: Components = {}) =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, schemaOf(member, components)])) as {
    readonly [Name in keyof M]: M[Name] extends Shape<infer T, infer P> ? (P extends 'always' ? z.ZodType<T, T> : z.ZodOptional<z.ZodType<T, T>>) : never;
  };

function named(form: Form, components: Components): z.ZodType {
  const schema = bare(form, components);
  return form.name === undefined ? schema : schema.meta({ id: form.name, ...(form.about !== undefined && { description: form.about }) });
}

function bare(form: Form, components: Components): z.ZodType {
  switch (form.is) {
    case 'uuid':
      return uuid;
    case 'text':
      return z.string();
    case 'time':
      return time;
    case 'integer':
      return z.int();
    case 'number':
      return z.number();
    case 'boolean':
      return z.boolean();
    case 'true':
      return z.literal(true);
    case 'json':
      return json;
    case 'jsonObject':
      return jsonObject;
    case 'choice':
      return form.texts.length === 1 ? z.literal(form.texts[0]!) : z.enum(form.texts);
    case 'list':
      return z.array(schemaOf(form.of, components)).readonly();
    case 'dictionary':
      return z.record(z.string(), schemaOf(form.of, components));
    case 'object':
      return z.strictObject(schemasOf(form.members, components));
    case 'kinds':
      return z.discriminatedUnion(
        'kind',
        Object.entries(form.cases).map(([kind, members]) => z.strictObject({ kind: z.literal(kind), ...schemasOf(members, components) })) as never,
      );
    case 'either':
      return z.union(form.of.map((option) => schemaOf(option, components)));
    case 'component':
      return components[form.component]!;
  }
}
