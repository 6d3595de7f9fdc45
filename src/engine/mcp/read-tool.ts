import { z } from 'zod';
import type { Json } from '../../../packages/protocol/message/content.js';
import { toolProblem } from '../../../packages/normalizer/api-rules/tool-problem.js';
import { isDeeperThan } from '../../../packages/protocol/message/json.js';
import { MAX_JSON_DEPTH } from './outcome.js';
import type { McpSettings, McpServer } from './server.js';
import { modelName } from './tool-name.js';
import type { ToolDefinition } from '../../../packages/protocol/message/tool-definition.js';

/** A tool as the model sees it, and as its server knows it. */
export interface McpTool {
  readonly definition: ToolDefinition;
  /** The server's own name and schema. */
  readonly raw: { readonly name: string; readonly inputSchema: { readonly type: 'object'; readonly [key: string]: Json } };
}

const shape = z.looseObject({
  name: z.string().min(1),
  title: z.string().optional(),
  description: z.string().optional(),
  inputSchema: z.looseObject({ type: z.literal('object') }),
  _meta: z
    .looseObject({ aliases: z.array(z.string().min(1)).optional().catch(undefined) })
    .optional()
    .catch(undefined),
  annotations: z
    .looseObject({ readOnlyHint: z.boolean().optional().catch(undefined), title: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});

/** Reads a tool as its server describes it, or returns why it cannot be offered: the model API rejects every request with an invalid tool. */
export function readTool(given: unknown, { name: server }: McpServer, { toolCharacters }: McpSettings): McpTool | { readonly problem: string } {
  const name = nameIn(given);
  const problem = (text: string) => ({ problem: `The tool ${name} is left out: ${text.slice(0, 300)}` });
  const read = shape.safeParse(given);
  if (!read.success) return problem(read.error.issues.map((issue) => `${issue.path.join('.') || 'it'}: ${issue.message}`).join('; '));
  if (isDeeperThan(given, MAX_JSON_DEPTH)) return problem('it is nested too deeply');
  const characters = JSON.stringify(given).length;
  if (characters > toolCharacters) return problem(`its definition has ${characters} characters, and at most ${toolCharacters} are allowed`);
  const { title, description, inputSchema, annotations, _meta } = read.data;
  const aliases = new Set(_meta?.aliases?.map((alias) => modelName(server, alias)));
  const definition: ToolDefinition = {
    name: modelName(server, read.data.name),
    ...(aliases.size === 0 ? {} : { aliases: [...aliases].sort() }),
    description: description ?? title ?? annotations?.title ?? '',
    input_schema: inputSchema as unknown as ToolDefinition['input_schema'],
    source: `mcp:${server}`,
    effect: annotations?.readOnlyHint === true ? 'read' : 'run',
  };
  const invalid = toolProblem({ name: definition.name, description: definition.description, input_schema: definition.input_schema });
  if (invalid) return problem(invalid.text);
  return { definition, raw: { name: read.data.name, inputSchema: inputSchema as McpTool['raw']['inputSchema'] } };
}

/** The name for messages, whatever type it has. */
function nameIn(given: unknown): string {
  const name: unknown = typeof given === 'object' && given !== null && 'name' in given ? given.name : null;
  return typeof name === 'string' ? JSON.stringify(name.slice(0, 100)) : 'without a name';
}
