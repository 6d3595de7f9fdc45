import { Client, SdkHttpError, UnsupportedProtocolVersionError, type VersionNegotiationMode } from '@modelcontextprotocol/client';
import { httpTransport } from './http-transport.js';
import { abortable } from '../../core/async/abortable.js';
import type { McpSettings, McpServer } from './server.js';
import { StdioTransport } from './stdio-transport.js';

export interface OpenServer {
  readonly client: Client;
  /** Ends the connection, and the server when it is a program of ours. Never rejects. */
  close(): Promise<void>;
}

export interface ServerNews {
  readonly onToolsChanged: () => void;
  readonly onClosed: () => void;
}

/** The revision for servers that take none of the earlier ones. */
const NEWEST: VersionNegotiationMode = { pin: '2026-07-28' };

/** Connects to a server, within the time of `signal`. Rejects with an error whose message can be shown. */
export async function openServer(server: McpServer, tenantId: string, settings: McpSettings, news: ServerNews, signal: AbortSignal): Promise<OpenServer> {
  try {
    return await attempt('legacy', server, tenantId, settings, news, signal);
  } catch (error) {
    if (signal.aborted || !takesOnlyTheNewest(error)) throw error;
    return attempt(NEWEST, server, tenantId, settings, news, signal);
  }
}

async function attempt(
  mode: VersionNegotiationMode,
  server: McpServer,
  tenantId: string,
  settings: McpSettings,
  news: ServerNews,
  signal: AbortSignal,
): Promise<OpenServer> {
  const { transport, release, lastWords } = transportTo(server, tenantId, settings);
  const client = new Client(
    { name: 'verbatim', version: '0.1.0' },
    {
      capabilities: {},
      versionNegotiation: { mode },
      inputRequired: { autoFulfill: false },
      listChanged: { tools: { autoRefresh: false, onChanged: news.onToolsChanged } },
    },
  );
  let problem: unknown = null;
  let isOpen = false;
  client.onerror = (error) => {
    problem = error;
  };
  client.onclose = () => {
    if (isOpen) news.onClosed();
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
    const said = lastWords();
    // A connection that closed says less than what made it close.
    if (takesOnlyTheNewest(error)) throw error;
    throw new Error(`${textOf(problem ?? error)}${said === '' ? '' : `; it said: ${said}`}`, { cause: error });
  }
}

function transportTo(server: McpServer, tenantId: string, settings: McpSettings) {
  if (server.kind === 'http') return { ...httpTransport(server, settings), lastWords: () => '' };
  const transport = new StdioTransport(server, tenantId, settings);
  return { transport, release: () => transport.close(), lastWords: () => transport.lastWords };
}

/** How a server of the newest revision alone answers an older greeting. */
function takesOnlyTheNewest(error: unknown): boolean {
  return error instanceof UnsupportedProtocolVersionError || (error instanceof SdkHttpError && error.status === 400);
}

/** What went wrong, in one line of bounded length. A server has a say in it. */
export function textOf(error: unknown): string {
  const message = typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : String(error);
  return message.replace(/\s+/g, ' ').slice(0, 500);
}
