import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { z } from 'zod';
import { PROBLEMS } from '../problems/status.js';

const problem = z
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

/** The document of every route there is, made from the code. */
export function openApiDocument(app: INestApplication, version: string): OpenAPIObject {
  const settings = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Verbatim')
    .setDescription('A chat backend that keeps every conversation exactly as it happened. Errors are problem documents (RFC 9457) with a stable `code`.')
    .setVersion(version)
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'A token made by POST /v1/tokens, or one signed by a trusted issuer.' }, 'bearer')
    .addSecurityRequirements('bearer')
    .build();
  const document = SwaggerModule.createDocument(app, settings, { standardSchemaConverter: jsonSchema as never });
  document.components = { ...document.components, schemas: { ...document.components?.schemas, Problem: plain(problem, 'output') as never } };
  return document;
}

/** Serves the document at /openapi.json and a page for people at /docs, all of it from here. */
export function serveDocuments(app: INestApplication, version: string): void {
  let document: OpenAPIObject | null = null;
  SwaggerModule.setup('docs', app, () => (document ??= openApiDocument(app, version)), {
    jsonDocumentUrl: 'openapi.json',
    raw: ['json'],
    customSiteTitle: 'Verbatim',
    swaggerOptions: { validatorUrl: null },
  });
}

/** OpenAPI 3.1 speaks JSON Schema itself, so nothing has to be put in older words. */
function jsonSchema(schema: z.ZodType, { schemaType }: { readonly schemaType: 'input' | 'output' }): object {
  const { $defs, ...rest } = plain(schema, schemaType);
  return { schema: rest, components: $defs };
}

function plain(schema: z.ZodType, io: 'input' | 'output'): Record<string, unknown> & { readonly $defs?: Record<string, unknown> } {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: ({ jsonSchema: made }) => delete made.id });
  return rest;
}
