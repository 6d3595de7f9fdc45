import { z } from 'zod';

type Variant = z.ZodObject<{ type: z.ZodLiteral<string> } & z.core.$ZodLooseShape>;

interface OpenUnionDef extends z.core.$ZodUnionDef {
  /** The fault of a value, or null. */
  readonly fault: (value: Typed) => Fault | null;
}

interface Typed {
  readonly type: string;
  readonly [member: string]: unknown;
}

interface Fault {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

interface ZodConstructor {
  init(instance: unknown, def: unknown): void;
}

/**
 * Objects with a `type`: the known ones, and a last one for every other type, which has the id `other`.
 *
 * The document describes each variant. Validation requires only the `type` and what `fault` requires: blocks and attachments of clients, of the model and of
 * imported files are kept unchanged, and normalization repairs what cannot be sent. A valid value is passed as it is, so the order of its members stays.
 */
export function openUnion(variants: readonly Variant[], other: string, fault: OpenUnionDef['fault'] = () => null): z.ZodType {
  const options = [...variants, otherVariant(variants, other)];
  return new OpenUnion({ type: 'union', options, fault } as never) as unknown as z.ZodType;
}

/** Parameter of `safeParse` that requires of a known type the documented members, too. For tests. */
export const AS_DOCUMENTED = { asDocumented: true } as unknown as z.core.ParseContext<z.core.$ZodIssue>;

function otherVariant(variants: readonly Variant[], id: string): z.ZodType {
  const known = variants.flatMap(({ shape }) => [...shape.type.values]);
  const type = z
    .string()
    .min(1)
    .refine((value) => !known.includes(value), 'is a known type')
    .meta({ not: { enum: known } });
  return z.looseObject({ type }).meta({ id, description: 'A type that is not listed here. Clients ignore it.' });
}

const OpenUnion = z.core.$constructor('OpenUnion', (instance: z.core.$ZodUnion, def: OpenUnionDef) => {
  (z.ZodUnion as unknown as ZodConstructor).init(instance, def);
  const { parse } = instance._zod;
  instance._zod.parse = (payload, context) => {
    if ('asDocumented' in context) return parse(payload, context);
    const input: unknown = payload.value;
    if (typeof input !== 'object' || input === null || Array.isArray(input)) {
      payload.issues.push({ code: 'custom', path: [], message: 'must be an object', input, inst: instance });
      return payload;
    }
    const { type } = input as Typed;
    const found = typeof type === 'string' && type !== '' ? def.fault(input as Typed) : { path: ['type'], message: 'must be a name' };
    if (found) payload.issues.push({ code: 'custom', path: [...found.path], message: found.message, input, inst: instance });
    return payload;
  };
});
