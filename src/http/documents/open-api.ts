import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { z } from 'zod';
import { PROBLEMS } from '../problems/status.js';

/** The body of every error response. */
export const problem = z
  .looseObject({
    type: z.string().meta({ format: 'uri-reference' }),
    title: z.string(),
    status: z.int(),
    detail: z.string().optional(),
    code: z.enum(Object.keys(PROBLEMS)),
    instance: z.string().meta({ description: 'Id of the request, as in the header x-request-id.' }),
    errors: z.array(z.object({ pointer: z.string(), detail: z.string() })).optional(),
  })
  .meta({ description: 'RFC 9457.' });

/** The OpenAPI document of every route, generated from the code. */
export function openApiDocument(app: INestApplication, version: string): OpenAPIObject {
  const settings = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Verbatim')
    .setDescription('A chat backend that keeps every conversation exactly as it happened. Errors are problem documents (RFC 9457) with a stable `code`.')
    .setVersion(version)
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'A token created by POST /v1/tokens, or a JWT of a trusted issuer.' }, 'bearer')
    .addSecurity('operator', { type: 'http', scheme: 'bearer', description: 'OPERATOR_TOKEN of the deployment.' })
    .addSecurityRequirements('bearer')
    .build();
  const document = SwaggerModule.createDocument(app, settings, { standardSchemaConverter: jsonSchema as never });
  document.components = { ...document.components, schemas: { ...document.components?.schemas, Problem: plain(problem, 'output') as never } };
  describeParameters(document);
  return document;
}

/** The path parameters, by name. */
const PATH_PARAMETERS: Readonly<Record<string, { readonly description: string; readonly format?: string }>> = {
  id: { description: 'Id of the session.', format: 'uuid' },
  promptId: { description: 'Id of the prompt, from the response to its submission.', format: 'uuid' },
  turnId: { description: 'Id of the turn.', format: 'uuid' },
  requestId: { description: 'Id of the model request.', format: 'uuid' },
  rewindId: { description: 'Id of the rewind.', format: 'uuid' },
  tip: { description: 'Uuid of the newest message of the branch.', format: 'uuid' },
  tokenId: { description: 'Id of the token; not the token itself.', format: 'uuid' },
  sha256: { description: 'SHA-256 of the bytes, hexadecimal.' },
};

/** Adds the descriptions of path parameters, and lifts those of query parameters from their schema to the parameter. */
function describeParameters(document: OpenAPIObject): void {
  for (const item of Object.values(document.paths)) {
    for (const operation of Object.values(item as Record<string, { readonly parameters?: Parameter[] }>)) {
      for (const parameter of operation.parameters ?? []) {
        const known = parameter.in === 'path' ? PATH_PARAMETERS[parameter.name] : undefined;
        if (known?.format !== undefined) parameter.schema = { ...parameter.schema, format: known.format };
        const description = known?.description ?? parameter.description ?? parameter.schema?.description;
        if (description !== undefined) parameter.description = description;
      }
    }
  }
}

interface Parameter {
  readonly in: string;
  readonly name: string;
  description?: string;
  schema?: { readonly description?: string; readonly [member: string]: unknown };
}

/** Serves the document at /openapi.json and Swagger UI at /docs, without resources of other hosts. */
export function serveDocuments(app: INestApplication, version: string): void {
  let document: OpenAPIObject | null = null;
  SwaggerModule.setup('docs', app, () => (document ??= openApiDocument(app, version)), {
    jsonDocumentUrl: 'openapi.json',
    raw: ['json'],
    customSiteTitle: 'Verbatim',
    swaggerOptions: { validatorUrl: null },
  });
}

/** OpenAPI 3.1 uses JSON Schema 2020-12, which is what zod produces. */
function jsonSchema(schema: z.ZodType, { schemaType }: { readonly schemaType: 'input' | 'output' }): object {
  const { $defs, ...rest } = plain(schema, schemaType);
  return { schema: rest, components: $defs };
}

function plain(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> & { readonly $defs?: Record<string, unknown> } {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: ({ jsonSchema: made }) => delete made.id });
  return rest;
}
