import { z } from 'zod';
import { EVENT_DATA } from '../schemas/event-schemas.js';
import { LIVE_EVENT_DATA } from '../schemas/live-schemas.js';

interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
}

const INTRODUCTION = `# Events

Generated from \`packages/protocol/events\`; \`npm run documents\` rewrites this page.

\`GET /v1/sessions/{id}/events\` lists the stored events of a session, \`GET /v1/sessions/{id}/events/stream\` streams them as server-sent events: the stored ones with
their sequence number as \`id\`, then one \`synced\`, then new ones as they are appended. The \`data\` of a stored event is its envelope:

\`\`\`json
{ "id": "…", "seq": 7, "type": "turn.started", "time": "2030-01-01T00:00:00.000Z", "sessionId": "…", "actor": { "kind": "user", "id": "…" }, "data": {} }
\`\`\`

\`seq\` counts 1, 2, 3… within the session, without gaps. A client resumes with \`Last-Event-ID\` or \`?after=\`. Live events have no \`id\`, are not stored, and may be
lost: the stored event that follows contains the final state. A client ignores event types and members that it does not recognise. Capitalised types are schemas of
the OpenAPI document (\`/openapi.json\`).
`;

/** The text of docs/events.md. */
export function eventsDocument(): string {
  return `${INTRODUCTION}\n## Stored events\n\n${sections(EVENT_DATA)}\n## Live events\n\n${sections(LIVE_EVENT_DATA)}`;
}

function sections(schemas: Readonly<Record<string, z.ZodType>>): string {
  return Object.entries(schemas)
    .map(([type, schema]) => section(type, z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }) as JsonSchema))
    .join('\n');
}

function section(type: string, schema: JsonSchema): string {
  const members = Object.entries(schema.properties ?? {}).map(([name, member]) => {
    const presence = schema.required?.includes(name) ? '' : ' (optional)';
    return `| \`${name}\`${presence} | ${typeName(member).replaceAll('|', '\\|')} | ${member.description ?? ''} |`;
  });
  const table = members.length === 0 ? 'No members.\n' : `| Member | Type | Description |\n|---|---|---|\n${members.join('\n')}\n`;
  return `### \`${type}\`\n\n${schema.description ?? ''}\n\n${table}`;
}

function typeName(schema: JsonSchema): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? '';
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(' | ');
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives) return [...new Set(alternatives.map(typeName))].join(' | ');
  if (schema.type === 'array') return `array of ${typeName(schema.items ?? {})}`;
  if (schema.type === 'object' && schema.properties) return `{ ${Object.keys(schema.properties).join(', ')} }`;
  return schema.format ?? (schema.type === undefined ? 'any' : [schema.type].flat().join(' | '));
}
