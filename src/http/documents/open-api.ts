import type { INestApplication } from '@nestjs/common';
import * as library from '@nestjs/swagger';
import { z } from 'zod';
import { PROBLEMS } from '../problems/status.js';
import { sessionsChange } from '../schemas/changes-schemas.js';
import { streamedEvent } from '../schemas/envelope-schemas.js';
import { describe } from './described.js';
import { addDiscriminators, componentSchemas, jsonSchema } from './json-schema.js';

/** The body of every error response. */
export const problem = z
  .looseObject({
    type: z.string().meta({ format: 'uri-reference' }),
    title: z.string(),
    status: z.int(),
    detail: z.string().optional(),
    code: z.enum(Object.keys(PROBLEMS)).meta({ description: 'Stable.' }),
    instance: z.string().meta({ description: 'Id of the request, as in the header x-request-id.' }),
    errors: z
      .array(z.object({ pointer: z.string(), detail: z.string() }))
      .optional()
      .meta({ description: 'One entry per fault of the input: its JSON pointer, and what is wrong.' }),
    retryAfter: z.number().optional().meta({ description: 'Seconds after which to retry, as in the header Retry-After.' }),
    limit: z.number().optional().meta({ description: 'The limit that was exceeded.' }),
  })
  .meta({ description: 'RFC 9457.' });

/** The OpenAPI document of every route, generated from the code. */
export function openApiDocument(app: INestApplication, version: string): library.OpenAPIObject {
  describe(library);
  const builder = new library.DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Verbatim')
    .setDescription(
      'A chat backend that keeps every conversation exactly as it happened. Errors are problem documents (RFC 9457) with a stable `code`. ' +
        'Below `/anthropic` is the Messages API for its own clients, whose documentation is that of the model API.',
    )
    .setVersion(version)
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'A token created by POST /v1/tokens, or a JWT of a trusted issuer.' }, 'bearer')
    .addSecurity('operator', { type: 'http', scheme: 'bearer', description: 'OPERATOR_TOKEN of the deployment.' })
    .addCookieAuth(
      'verbatim',
      { type: 'apiKey', in: 'cookie', description: 'A signed-in browser; `__Host-verbatim` over https. Accepted from pages of this origin.' },
      'cookie',
    )
    .addSecurityRequirements('bearer')
    .addSecurityRequirements('cookie');
  for (const [name, description] of Object.entries(TAGS)) builder.addTag(name, description);
  const settings = builder.build();
  const document = library.SwaggerModule.createDocument(app, settings, { standardSchemaConverter: jsonSchema as never });
  document.paths = Object.fromEntries(
    inOrder(document.paths).map(([path, item]) => [path, Object.fromEntries(METHODS.flatMap((name) => (name in item ? [[name, item[name]]] : [])))]),
  );
  const schemas = Object.fromEntries(
    inOrder({ ...document.components?.schemas, ...componentSchemas({ Problem: problem, StreamedEvent: streamedEvent, SessionsChange: sessionsChange }) }),
  );
  document.components = { ...document.components, schemas };
  describeParameters(document);
  addDiscriminators(document, schemas as never);
  return document;
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** By name: the document does not change with the order of modules. */
function inOrder<T>(members: Readonly<Record<string, T>>): readonly (readonly [string, T])[] {
  return Object.entries(members).sort(([left], [right]) => (left < right ? -1 : 1));
}

/** What the operations are about. */
const TAGS: Readonly<Record<string, string>> = {
  sessions: 'Conversations: create, read, configure, close.',
  prompts: 'What users say, and the turns that answer: queue, interrupt, tool calls, approvals.',
  schedules: 'Prompts that are submitted by time.',
  log: 'The events of a session, and the messages that they make.',
  'rewinds and branches': 'Go back, go forward again, and choose among branches.',
  'forks and compactions': 'A session that continues another; a summary instead of old messages.',
  view: 'What the model is sent, what it was sent, and why that differs from what was said.',
  files: "Files of the session's folder, at any point of the conversation.",
  transfer: 'Export and import.',
  search: 'Full-text search of your sessions.',
  'people in a session': 'Who is there now, and what they thought of an answer.',
  people: 'Roles, links, break-glass access.',
  accounts: 'Who the caller is, tokens, and users of the tenant.',
  memory: 'What the model keeps for a user across their sessions. Only that user reads it.',
  'sign-in': 'Browsers: links, identity providers, sign-ins.',
  configuration: 'Settings, hooks, commands, skills, tools, gates.',
  usage: 'What was used, and what may be.',
  erasure: 'Erasure of sessions, messages and users, and legal holds.',
  proof: 'Audits, and the transparency log.',
  'AI SDK': 'The protocol of `useChat`.',
  'session store': 'Session files that the Agent SDK keeps here.',
  operation: 'For the operator of the deployment.',
};

/** The path parameters, by name. */
const PATH_PARAMETERS: Readonly<Record<string, { readonly description: string; readonly format?: string }>> = {
  id: { description: 'Id of the session.', format: 'uuid' },
  promptId: { description: 'Id of the prompt, from the response to its submission.', format: 'uuid' },
  turnId: { description: 'Id of the turn.', format: 'uuid' },
  requestId: { description: 'Id of the model request.', format: 'uuid' },
  scheduleId: { description: 'Id of the schedule.', format: 'uuid' },
  rewindId: { description: 'Id of the rewind.', format: 'uuid' },
  tip: { description: 'Uuid of the newest message of the branch.', format: 'uuid' },
  uuid: { description: 'Uuid of the message, or of the prompt.', format: 'uuid' },
  userId: { description: 'Id of the user.', format: 'uuid' },
  signInId: { description: 'Id of the sign-in.', format: 'uuid' },
  chatId: { description: 'Id of the chat: that of a session, or one that the client chose.' },
  tokenId: { description: 'Id of the token; not the token itself.', format: 'uuid' },
  sha256: { description: 'SHA-256 of the bytes, hexadecimal.' },
  principal: { description: '`user:` and an id or a name, or `group:` and a name.' },
  linkId: { description: 'Id of the link.' },
  path: { description: 'Level and index of the tile, as in `0/x001/234` or `0/x001/234.p/5` (C2SP tlog-tiles).' },
};

/** Adds the descriptions of path parameters, and lifts those of query parameters from their schema to the parameter. */
function describeParameters(document: library.OpenAPIObject): void {
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
