import { fileURLToPath } from 'node:url';
import { McpTools } from '../../src/engine/mcp/mcp-tools.js';
import type { McpServer, McpSettings } from '../../src/engine/mcp/server.js';
import type { Json } from '../../packages/protocol/message/content.js';
import { type ToolCall } from '../../src/ports/index.js';
import { NO_TENANT_SETTINGS, type TenantSettings } from '../../src/session/tenants/tenant-settings.js';

export const SETTINGS: McpSettings = {
  connectTimeoutMs: 10_000,
  callTimeoutMs: 10_000,
  listTtlMs: 60_000,
  idleMs: 60_000,
  maxConnections: 50,
  maxTools: 100,
  toolCharacters: 50_000,
  resultCharacters: 10_000,
  messageBytes: 1_000_000,
  environment: process.env,
};

const script = (name: string): string => fileURLToPath(new URL(`./servers/${name}.js`, import.meta.url));

export const program = (name: string, file: 'stdio-demo' | 'hostile-stdio', ...args: string[]): McpServer => ({
  kind: 'stdio',
  name,
  command: process.execPath,
  args: [script(file), ...args],
  env: { GIVEN: 'to the server' },
});

export const remote = (name: string, url: string): McpServer => ({ kind: 'http', name, url, headers: { 'x-key': 'secret' }, allowPrivate: true });

export interface Setup {
  readonly settings?: Partial<McpSettings>;
  readonly allowPrivate?: boolean;
  /** Each tenant's own servers. */
  readonly tenants?: Readonly<Record<string, TenantSettings['mcpServers']>>;
}

/** Tools over these servers, and what they reported. */
export function toolsOver(servers: readonly McpServer[], { settings = {}, allowPrivate = false, tenants = {} }: Setup = {}) {
  const failures: string[] = [];
  const tools = new McpTools(
    servers,
    { read: (tenantId) => Promise.resolve({ ...NO_TENANT_SETTINGS, mcpServers: tenants[tenantId] ?? {} }) },
    { settings: { ...SETTINGS, ...settings }, allowPrivate, onFailure: (problem) => failures.push(problem) },
  );
  return { tools, failures };
}

export const callOf = (name: string, input: Json = {}, tenantId = 't1'): ToolCall => ({
  tenantId,
  sessionId: 's1',
  turnId: 'turn',
  toolUseId: 'toolu_1',
  name,
  input,
  permissionMode: 'default',
});
