import type { CallToolResult, Client, Progress, ReadResourceResult } from '@modelcontextprotocol/client';
import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { type ListedTools, toolsOf } from './listed-tools.js';
import { openServer, type OpenServer, textOf } from './open-server.js';
import { abortable } from '../../platform/async/abortable.js';
import type { McpTool } from './read-tool.js';
import type { McpSettings, McpServer } from './server.js';

/** Exponential backoff: the pause doubles with each failure. */
const MIN_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 60_000;

/**
 * One tenant's connection to one server: opened on first use, kept, and reopened after a failure with exponential backoff. A list of tools is cached until the
 * server reports a change or `listTtlMs` has passed.
 */
export class ServerConnection {
  #open: OpenServer | null = null;
  #opening: Promise<OpenServer> | null = null;
  #listed: (ListedTools & { readonly at: number }) | null = null;
  #listing: Promise<ListedTools> | null = null;
  #changed = false;
  #failures = 0;
  #retryAt = 0;
  #problem = '';
  #calls = 0;
  readonly #closed = new AbortController();

  constructor(
    readonly server: McpServer,
    private readonly tenantId: string,
    private readonly settings: McpSettings,
    /** Called at every failure to reach the server. */
    private readonly onFailure: (problem: string) => void,
  ) {}

  /** Whether a call or a listing is in progress. */
  get isBusy(): boolean {
    return this.#calls > 0 || this.#listing !== null;
  }

  /** Within `connectTimeoutMs`; never rejects. */
  async list(): Promise<ListedTools> {
    const known = this.#listed;
    if (this.#open?.client.transport && known && !this.#changed) {
      // A stale list is returned and refreshed in the background.
      if (performance.now() - known.at > this.settings.listTtlMs) void this.#list();
      return known;
    }
    return this.#list();
  }

  /** Rejects with any error of the SDK or the transport. */
  async call(
    { raw }: McpTool,
    input: Readonly<Record<string, unknown>>,
    onProgress: (progress: Progress) => void,
    signal: AbortSignal,
  ): Promise<CallToolResult> {
    const { callTimeoutMs } = this.settings;
    return this.#request(
      (client) =>
        client.callTool(
          { name: raw.name, arguments: input },
          { signal, timeout: callTimeoutMs, maxTotalTimeout: callTimeoutMs, onprogress: onProgress, toolDefinition: raw },
        ),
      signal,
    );
  }

  /** Rejects with any error of the SDK or the transport. */
  read(uri: string, timeoutMs: number, signal: AbortSignal): Promise<ReadResourceResult> {
    return this.#request((client) => client.readResource({ uri }, { signal, timeout: timeoutMs, maxTotalTimeout: timeoutMs }), signal);
  }

  async #request<T>(ask: (client: Client) => Promise<T>, signal: AbortSignal): Promise<T> {
    const attempt = async (): Promise<T> => ask((await this.#connected()).client);
    this.#calls += 1;
    try {
      return await attempt();
    } catch (error) {
      if (isTimeout(error)) this.#changed = true;
      if (signal.aborted || isTimeout(error) || isResponse(error)) throw error;
      await this.#drop();
      if (!isSessionLost(error)) throw error;
      return await attempt();
    } finally {
      this.#calls -= 1;
    }
  }

  /** Never rejects. */
  async close(): Promise<void> {
    this.#closed.abort(new Error('the connection was closed'));
    await this.#opening?.catch(() => undefined);
    await this.#drop();
  }

  #list(): Promise<ListedTools> {
    this.#listing ??= this.#fetchList().finally(() => {
      this.#listing = null;
    });
    return this.#listing;
  }

  async #fetchList(): Promise<ListedTools> {
    const { connectTimeoutMs } = this.settings;
    const limit = AbortSignal.timeout(connectTimeoutMs);
    try {
      const { client } = await abortable(this.#connected(limit), limit);
      this.#changed = false;
      this.#listed = { ...(await toolsOf(client, this.server, this.settings, limit)), at: performance.now() };
      this.#failures = 0;
      return this.#listed;
    } catch (error) {
      // A server that is busy with a call may not answer in time.
      if (this.#listed && this.#calls > 0) return this.#listed;
      if (performance.now() >= this.#retryAt) this.#failed(limit.aborted ? `it did not answer within ${connectTimeoutMs} ms` : textOf(error));
      void this.#drop();
      return { tools: [], problems: [this.#problem] };
    }
  }

  #failed(problem: string): void {
    const backoff = Math.min(MIN_BACKOFF_MS * 2 ** this.#failures, MAX_BACKOFF_MS);
    this.#failures += 1;
    this.#retryAt = performance.now() + backoff;
    this.#problem = `It cannot be used now: ${problem}`;
    this.onFailure(problem);
  }

  #connected(signal: AbortSignal = AbortSignal.timeout(this.settings.connectTimeoutMs)): Promise<OpenServer> {
    if (this.#closed.signal.aborted) return Promise.reject(this.#closed.signal.reason);
    if (this.#open?.client.transport) return Promise.resolve(this.#open);
    if (performance.now() < this.#retryAt) return Promise.reject(new Error(this.#problem));
    this.#opening ??= this.#connect(signal).finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  async #connect(signal: AbortSignal): Promise<OpenServer> {
    let opened: OpenServer | null = null;
    opened = await openServer(
      this.server,
      this.tenantId,
      this.settings,
      {
        onToolsChanged: () => {
          this.#changed = true;
        },
        onClosed: () => {
          if (opened !== null && this.#open === opened) void this.#drop();
        },
      },
      AbortSignal.any([signal, this.#closed.signal]),
    );
    this.#open = opened;
    return opened;
  }

  async #drop(): Promise<void> {
    const open = this.#open;
    this.#open = null;
    await open?.close();
  }
}

/** The server has responded, so the connection works. */
function isResponse(error: unknown): boolean {
  return error instanceof ProtocolError || (error instanceof SdkError && error.code === SdkErrorCode.InvalidResult);
}

/** The server may be busy or hang; the next listing shows which. */
function isTimeout(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;
}

/** The server has lost the session, so it has not carried out the call. */
function isSessionLost(error: unknown): boolean {
  return error instanceof SdkHttpError && error.status === 404;
}
