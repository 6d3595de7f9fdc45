import type { Client } from '@modelcontextprotocol/client';
import { listTools } from './list-tools.js';
import { type McpTool, readTool } from './read-tool.js';
import type { McpServer, McpSettings } from './server.js';

export interface ListedTools {
  /** In the order of their names: a server may list them in any order, and ours must not change with it. */
  readonly tools: readonly McpTool[];
  /** What is wrong with the server, or with some of its tools. */
  readonly problems: readonly string[];
}

/** Of the problems of one server's tools, so many are told. */
const TOLD = 20;

/** The tools of a server that can be offered, and what is wrong with the others. */
export async function toolsOf(client: Client, server: McpServer, settings: McpSettings, signal: AbortSignal): Promise<ListedTools> {
  const { connectTimeoutMs, maxTools } = settings;
  const { tools: found, more } = await listTools(client, maxTools, connectTimeoutMs, signal);
  const tools = new Map<string, McpTool>();
  const problems: string[] = [];
  for (const given of found) {
    const tool = readTool(given, server, settings);
    if ('problem' in tool) problems.push(tool.problem);
    else if (tools.has(tool.definition.name))
      problems.push(`It lists the tool ${JSON.stringify(tool.raw.name.slice(0, 100))} more than once; the first one counts.`);
    else tools.set(tool.definition.name, tool);
  }
  const sorted = [...tools.values()].sort((one, other) => (one.definition.name < other.definition.name ? -1 : 1));
  return { tools: sorted, problems: [...problems.slice(0, TOLD), ...(more ? [`It has more than ${maxTools} tools; the others are left out.`] : [])] };
}
