import { z } from 'zod';
import { ROUTES } from './documented.js';

/** What its `.meta({ examples })` lists. */
export const examplesOf = (schema: z.ZodType): readonly unknown[] => (schema.meta()?.['examples'] ?? []) as readonly unknown[];

/** The members of a query that a request must have, with the example of each. */
export const requiredOf = (query: z.ZodType): readonly (readonly [name: string, example: unknown])[] =>
  query instanceof z.ZodObject
    ? Object.entries(query.shape as Readonly<Record<string, z.ZodType>>).flatMap(([name, member]) =>
        member.safeParse(undefined).success ? [] : [[name, examplesOf(member)[0]] as const],
      )
    : [];

/** The query without which a route rejects a request, by its path in the OpenAPI document: of the examples of its schema. */
export const REQUIRED_QUERIES: Readonly<Record<string, string>> = Object.fromEntries(
  ROUTES.flatMap(({ path, query }) => {
    const required = query ? requiredOf(query) : [];
    if (required.length === 0) return [];
    const text = required.map(([name, example]) => `${name}=${encodeURIComponent(String(example))}`).join('&');
    return [[path.replace(/[:*](\w+)/g, '{$1}'), `?${text}`]];
  }),
);

/** A valid body of each kind that routes take, by the id of its schema: its first example. */
export const EXAMPLES: Readonly<Record<string, unknown>> = Object.fromEntries(
  ROUTES.flatMap(({ body }) => (body === undefined ? [] : [[body.meta()?.id, examplesOf(body)[0]]])),
);
