import { z } from 'zod';

interface Schema {
  readonly $ref?: string;
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, { readonly const?: unknown }>>;
  discriminator?: object;
}

type Schemas = Readonly<Record<string, Schema>>;

/** The JSON Schema of a zod schema, and those of the components that it references. OpenAPI 3.1 uses JSON Schema 2020-12, which is what zod generates. */
export function jsonSchema(
  schema: z.ZodType,
  { schemaType }: { readonly schemaType: 'input' | 'output' },
): { readonly schema: object; readonly components: object } {
  const {
    $schema: _,
    $defs = {},
    ...rest
  } = z.toJSONSchema(schema, { io: schemaType, unrepresentable: 'any', override: ({ jsonSchema: made }) => simplify(made) });
  return { schema: rest, components: $defs };
}

/** As `jsonSchema`, for parts of the document that are not the schema of a route: references lead to `components`. */
export function componentSchemas(schemas: Readonly<Record<string, z.ZodType>>): Record<string, object> {
  const found: Record<string, object> = {};
  for (const [name, schema] of Object.entries(schemas)) {
    const { schema: own, components } = jsonSchema(schema, { schemaType: 'output' });
    Object.assign(found, { [name]: own }, components);
  }
  return JSON.parse(JSON.stringify(found).replaceAll('"#/$defs/', '"#/components/schemas/')) as Record<string, object>;
}

/** `additionalProperties: {}` is the default of JSON Schema; generators make a dictionary of it. */
function simplify(made: z.core.JSONSchema.BaseSchema): void {
  delete made.id;
  const { additionalProperties } = made;
  if (made.properties && typeof additionalProperties === 'object' && Object.keys(additionalProperties).length === 0) delete made.additionalProperties;
}

/** Adds the `discriminator` to each union of components that differ in the constant of one member. */
export function addDiscriminators(document: object, components: Schemas): void {
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { oneOf } = value as Schema;
    const discriminator = Array.isArray(oneOf) ? discriminatorOf(oneOf, components) : undefined;
    if (discriminator) (value as Schema).discriminator = discriminator;
    for (const inner of Object.values(value)) visit(inner);
  };
  visit(document);
}

function discriminatorOf(variants: readonly Schema[], components: Schemas): object | undefined {
  for (const propertyName of ['type', 'kind']) {
    const mapping = variants.map(({ $ref }) => [components[$ref?.split('/').at(-1) ?? '']?.properties?.[propertyName]?.const, $ref]);
    if (mapping.every(([value]) => typeof value === 'string')) return { propertyName, mapping: Object.fromEntries(mapping) };
  }
  return undefined;
}
