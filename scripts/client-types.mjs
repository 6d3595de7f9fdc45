import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** A string to read, but no literal is one: so comparing `type` with a literal narrows the union to one variant, which a plain `string` would prevent. */
const OTHER_TYPE = `/** A \`type\` that this version of the client does not know: a string. */
export declare enum OtherType {
  value = '',
}
`;

/** clients/typescript/src/api.ts: the types of the OpenAPI document, and a table of its operations. */
export async function clientTypes(document) {
  const table = operationsOf(document);
  const types = await openapiTS(JSON.stringify(succeeding(document)), { rootTypes: true, rootTypesNoSchemaPrefix: true, transform: otherTypes });
  return [
    '// Generated from the OpenAPI document by `npm run documents`. Do not edit.',
    OTHER_TYPE,
    astToString(types),
    '/** What each type of event changes for those who show a session; after any other type, everything may have changed. */',
    `export const EVENTS: { readonly [T in Event['type']]: readonly ('list' | 'messages' | 'state')[] } = {\n${changesOf(document)}\n};`,
    '',
    '/** How each operation is called. `keyed`: takes an idempotency key. */',
    `export const OPERATIONS = {\n${table.map(([id, entry]) => `  ${id}: ${JSON.stringify(entry)},`).join('\n')}\n} as const;`,
    '',
  ].join('\n');
}

/** A line for each type of event. */
function changesOf({ components }) {
  return Object.values(components.schemas)
    .flatMap(({ properties, 'x-changes': changes }) =>
      changes === undefined ? [] : [`  '${properties.type.const ?? properties.type.enum[0]}': ${JSON.stringify(changes)},`],
    )
    .join('\n');
}

function otherTypes(schema, { path }) {
  if (!path?.endsWith('/type') || schema.not?.enum === undefined) return undefined;
  return ts.factory.createTypeReferenceNode('OtherType');
}

/** Without error responses, which are the same everywhere, and without what is not in types. */
function succeeding(document) {
  const { components, ...rest } = structuredClone(document);
  for (const item of Object.values(rest.paths)) {
    for (const method of METHODS) {
      const { responses, parameters } = item[method] ?? {};
      for (const status of Object.keys(responses ?? {})) if (!status.startsWith('2')) delete responses[status];
      // The client sets them.
      if (parameters) item[method].parameters = parameters.filter((parameter) => parameter.in !== 'header');
    }
  }
  return { ...rest, components: { schemas: components.schemas } };
}

function operationsOf({ paths }) {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => {
      const { operationId, parameters = [], requestBody, responses } = item[method];
      const content = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1].content;
      const keyed = parameters.some(({ name }) => name === 'Idempotency-Key');
      return [operationId, { method: method.toUpperCase(), path, keyed, body: requestBody !== undefined, answer: answerOf(content) }];
    }),
  );
}

function answerOf(content) {
  if (content === undefined) return 'none';
  if (content['application/json']) return 'json';
  return content['text/event-stream'] ? 'stream' : 'other';
}
