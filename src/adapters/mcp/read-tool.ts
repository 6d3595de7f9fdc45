import { z } from 'zod';
import type { Json } from '../../core/message/content.js';
import { toolProblem } from '../../core/api-rules/tool-problem.js';
import { isShallow } from './json-depth.js';
import type { McpSettings, McpServer } from './server.js';
import { modelName } from './tool-name.js';
import type { ToolDefinition } from '../../core/message/tool-definition.js';

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
  annotations: z
    .looseObject({ readOnlyHint: z.boolean().optional().catch(undefined), title: z.string().optional().catch(undefined) })
    .optional()
    .catch(undefined),
});

/** Reads a tool as its server describes it, or says why it cannot be offered: the model API would refuse every request that carries it. */
export function readTool(given: unknown, { name: server }: McpServer, { toolCharacters }: McpSettings): McpTool | { readonly problem: string } {
  const name = nameIn(given);
  const problem = (text: string) => ({ problem: `The tool ${name} is left out: ${text.slice(0, 300)}` });
  const read = shape.safeParse(given);
  if (!read.success) return problem(read.error.issues.map((issue) => `${issue.path.join('.') || 'it'}: ${issue.message}`).join('; '));
  if (!isShallow(given)) return problem('it is nested too deeply');
  const characters = JSON.stringify(given).length;
  if (characters > toolCharacters) return problem(`its definition has ${characters} characters, and ${toolCharacters} are the most`);
  const { title, description, inputSchema, annotations } = read.data;
  const definition: ToolDefinition = {
    name: modelName(server, read.data.name),
    description: description ?? title ?? annotations?.title ?? '',
    input_schema: inputSchema as unknown as ToolDefinition['input_schema'],
    source: `mcp:${server}`,
    effect: annotations?.readOnlyHint === true ? 'read' : 'run',
  };
  const refused = toolProblem({ name: definition.name, description: definition.description, input_schema: definition.input_schema });
  if (refused) return problem(refused.text);
  return { definition, raw: { name: read.data.name, inputSchema: inputSchema as McpTool['raw']['inputSchema'] } };
}

/** For telling about it: a name may be anything. */
function nameIn(given: unknown): string {
  const name: unknown = typeof given === 'object' && given !== null && 'name' in given ? given.name : null;
  return typeof name === 'string' ? JSON.stringify(name.slice(0, 100)) : 'without a name';
}
