import { Client, SdkHttpError, UnsupportedProtocolVersionError, type VersionNegotiationMode } from '@modelcontextprotocol/client';
import { httpTransport } from './http-transport.js';
import { abortable } from '../../platform/async/abortable.js';
import type { McpSettings, McpServer } from './server.js';
import { StdioTransport } from './stdio-transport.js';

export interface OpenServer {
  readonly client: Client;
  /** Ends the connection, and the program of a stdio server. Never rejects. */
  close(): Promise<void>;
}

export interface ServerListeners {
  readonly onToolsChanged: () => void;
  readonly onClosed: () => void;
}

/** The protocol revision for servers that accept no earlier one. */
const NEWEST: VersionNegotiationMode = { pin: '2026-07-28' };

/** Connects to a server until `signal` aborts. Rejects with an error with a message that can be shown. */
export async function openServer(
  server: McpServer,
  tenantId: string,
  settings: McpSettings,
  listeners: ServerListeners,
  signal: AbortSignal,
): Promise<OpenServer> {
  try {
    return await attempt('legacy', server, tenantId, settings, listeners, signal);
  } catch (error) {
    if (signal.aborted || !acceptsOnlyNewest(error)) throw error;
    return attempt(NEWEST, server, tenantId, settings, listeners, signal);
  }
}

async function attempt(
  mode: VersionNegotiationMode,
  server: McpServer,
  tenantId: string,
  settings: McpSettings,
  listeners: ServerListeners,
  signal: AbortSignal,
): Promise<OpenServer> {
  const { transport, release, stderrTail } = transportTo(server, tenantId, settings);
  const client = new Client(
    { name: 'verbatim', version: '0.1.0' },
    {
      capabilities: {},
      versionNegotiation: { mode },
      inputRequired: { autoFulfill: false },
      listChanged: { tools: { autoRefresh: false, onChanged: listeners.onToolsChanged } },
    },
  );
  let problem: unknown = null;
  let isOpen = false;
  client.onerror = (error) => {
    problem = error;
  };
  client.onclose = () => {
    if (isOpen) listeners.onClosed();
  };
  const close = async (): Promise<void> => {
    await release();
    await client.close().catch(() => undefined);
  };
  try {
    await abortable(client.connect(transport, { timeout: settings.connectTimeoutMs, signal }), signal);
    isOpen = true;
    return { client, close };
  } catch (error) {
    await close();
    const stderr = stderrTail();
    // The first error explains the closed connection that follows it.
    if (acceptsOnlyNewest(error)) throw error;
    throw new Error(`${textOf(problem ?? error)}${stderr === '' ? '' : `; its standard error: ${stderr}`}`, { cause: error });
  }
}

function transportTo(server: McpServer, tenantId: string, settings: McpSettings) {
  if (server.kind === 'http') return { ...httpTransport(server, settings), stderrTail: () => '' };
  const transport = new StdioTransport(server, tenantId, settings);
  return { transport, release: () => transport.close(), stderrTail: () => transport.stderrTail };
}

/** How a server that accepts only the newest revision answers an older initialize request. */
function acceptsOnlyNewest(error: unknown): boolean {
  return error instanceof UnsupportedProtocolVersionError || (error instanceof SdkHttpError && error.status === 400);
}

/** An error's message as one line of bounded length. Servers influence it. */
export function textOf(error: unknown): string {
  const message = typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
  return message.replace(/\s+/g, ' ').slice(0, 500);
}
