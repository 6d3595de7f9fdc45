import type { Client } from '@modelcontextprotocol/client';
import { listTools } from './list-tools.js';
import { type McpTool, readTool } from './read-tool.js';
import type { McpServer, McpSettings } from './server.js';

export interface ListedTools {
  /** Sorted by name: the order of a server's list may change, and a changed order would break the prompt cache. */
  readonly tools: readonly McpTool[];
  /** Problems of the server and of tools that are left out. */
  readonly problems: readonly string[];
}

/** Problems reported for one server. */
const MAX_PROBLEMS = 20;

/** The tools of a server that can be offered, and the problems of the others. */
export async function toolsOf(client: Client, server: McpServer, settings: McpSettings, signal: AbortSignal): Promise<ListedTools> {
  const { connectTimeoutMs, maxTools } = settings;
  const { tools: found, more } = await listTools(client, maxTools, connectTimeoutMs, signal);
  const tools = new Map<string, McpTool>();
  const problems: string[] = [];
  for (const given of found) {
    const tool = readTool(given, server, settings);
    if ('problem' in tool) problems.push(tool.problem);
    else if (tools.has(tool.definition.name))
      problems.push(`It lists the tool ${JSON.stringify(tool.raw.name.slice(0, 100))} more than once; the first one is used.`);
    else tools.set(tool.definition.name, tool);
  }
  const sorted = [...tools.values()].sort((one, other) => (one.definition.name < other.definition.name ? -1 : 1));
  return { tools: sorted, problems: [...problems.slice(0, MAX_PROBLEMS), ...(more ? [`It has more than ${maxTools} tools; the others are left out.`] : [])] };
}
