import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { McpServer } from './server.js';

/** All faults of the file in one error, each with its place in the file. */
export class McpFileError extends Error {
  override readonly name = 'McpFileError';
  readonly code = 'mcp_file_unusable';
}

const texts = z.record(z.string(), z.string());
const stdio = z.looseObject({
  type: z.literal('stdio').optional(),
  command: z.string().trim().min(1, 'must not be empty'),
  args: z.array(z.string()).default([]),
  env: texts.default({}),
});
const http = z.looseObject({
  type: z.enum(['http', 'streamable-http'], { error: 'must be "http" (streamable HTTP) or "stdio"; other transports are not supported' }),
  url: z.string(),
  headers: texts.default({}),
});

const NAME = /^[\x20-\x7e]{1,64}$/;
const address = z.url({ protocol: /^https?$/ });
const file = z.looseObject({ mcpServers: z.record(z.string(), z.unknown()) });

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the operator's servers from a file in the shape of the public `.mcp.json`. Throws McpFileError. */
export function readMcpFile(path: string, environment: Environment): readonly McpServer[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw new McpFileError(`MCP_FILE ${path} cannot be read (${String((error as { code?: unknown }).code)}).`);
  }
  return parseMcpFile(text, path, environment);
}

/** As `readMcpFile`, from the text of the file. `${NAME}` and `${NAME:-default}` stand for variables of the environment. */
export function parseMcpFile(text: string, path: string, environment: Environment): readonly McpServer[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new McpFileError(`MCP_FILE ${path} is not JSON: ${(error as { message: string }).message}`);
  }
  const read = file.safeParse(json);
  if (!read.success) throw new McpFileError(`MCP_FILE ${path} is not usable:\n  mcpServers: must be an object of servers by name`);
  const { servers, faults } = readServers(read.data.mcpServers, environment);
  if (faults.length > 0) throw new McpFileError(`MCP_FILE ${path} is not usable:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
  return servers;
}

/** The servers of a plugin, named after it. Faulty ones are left out and listed. `json`: the content of `.mcp.json`, or the servers alone. */
export function readPluginServers(
  json: unknown,
  plugin: { readonly name: string; readonly directory: string },
  environment: Environment,
): { readonly servers: readonly McpServer[]; readonly problems: readonly string[] } {
  const root = { CLAUDE_PLUGIN_ROOT: plugin.directory };
  const read = file.safeParse(json);
  const written = read.success ? read.data.mcpServers : json;
  if (typeof written !== 'object' || written === null || Array.isArray(written))
    return { servers: [], problems: ['mcpServers: must be an object of servers by name'] };
  const { servers, faults } = readServers(written as Readonly<Record<string, unknown>>, { ...environment, ...root });
  const named = servers.map((server) => {
    const own = { ...server, name: `plugin_${plugin.name}_${server.name}`, plugin: plugin.name };
    return own.kind === 'stdio' ? { ...own, env: { ...own.env, ...root } } : own;
  });
  return { servers: named, problems: faults };
}

function readServers(
  written: Readonly<Record<string, unknown>>,
  environment: Environment,
): { readonly servers: readonly McpServer[]; readonly faults: readonly string[] } {
  const faults: string[] = [];
  const servers = Object.entries(written).flatMap(([name, value]) => {
    const missing = new Set<string>();
    const server = serverOf(name, value, (given) => expand(given, environment, missing));
    for (const variable of missing) faults.push(`mcpServers.${name}: the environment has no ${variable}; set it, or write \${${variable}:-default}`);
    if (typeof server === 'object') return missing.size > 0 ? [] : [server];
    faults.push(...server(`mcpServers.${name}`));
    return [];
  });
  return { servers, faults };
}

/** The server, or a function that lists its faults with their place in the file. */
function serverOf(name: string, value: unknown, expanded: (text: string) => string): McpServer | ((where: string) => readonly string[]) {
  if (!NAME.test(name)) return (where) => [`${where}: a name must have 1 to 64 printable ASCII characters`];
  const hasCommand = typeof value === 'object' && value !== null && 'command' in value;
  const each = (given: Readonly<Record<string, string>>) => Object.fromEntries(Object.entries(given).map(([key, text]) => [key, expanded(text)]));
  if (hasCommand) {
    const read = stdio.safeParse(value);
    if (!read.success) return faultsOf(read.error);
    return { kind: 'stdio', name, command: expanded(read.data.command), args: read.data.args.map(expanded), env: each(read.data.env) };
  }
  const read = http.safeParse(value);
  if (!read.success) return faultsOf(read.error);
  const url = address.safeParse(expanded(read.data.url));
  if (!url.success) return (where) => [`${where}.url: must be an http or https address`];
  return { kind: 'http', name, url: url.data, headers: each(read.data.headers), allowPrivate: true };
}

const faultsOf =
  ({ issues }: z.ZodError) =>
  (where: string): readonly string[] =>
    issues.map((issue) => `${[where, ...issue.path].map(String).join('.')}: ${issue.message}`);

const VARIABLE = /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

function expand(text: string, environment: Environment, missing: Set<string>): string {
  return text.replace(VARIABLE, (_, name: string, fallback: string | undefined) => {
    const value = environment[name] ?? fallback;
    if (value === undefined) missing.add(name);
    return value ?? '';
  });
}
