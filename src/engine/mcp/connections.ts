import { ServerConnection } from './server-connection.js';
import type { McpSettings, McpServer } from './server.js';

interface Entry {
  readonly connection: ServerConnection;
  /** The server's settings; another value replaces the connection. */
  readonly fingerprint: string;
  idle: NodeJS.Timeout;
}

/** Connections by tenant and server. Tenants never share a connection, not even to a server of the operator. */
export class Connections {
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry>();
  #closed = false;

  constructor(
    private readonly settings: McpSettings,
    private readonly onFailure: (problem: string) => void,
  ) {}

  /** Null when the limit is reached and every connection is busy. */
  of(tenantId: string, server: McpServer): ServerConnection | null {
    const key = JSON.stringify([tenantId, server.name]);
    const fingerprint = JSON.stringify(server);
    const entry = this.#entries.get(key);
    if (entry?.fingerprint === fingerprint) {
      this.#use(key, entry);
      return entry.connection;
    }
    if (entry) this.#end(key, entry);
    if (this.#closed || !this.#makeRoom()) return null;
    const connection = new ServerConnection(server, tenantId, this.settings, (problem) =>
      this.onFailure(`MCP server ${server.name} of tenant ${tenantId}: ${problem}`),
    );
    this.#use(key, { connection, fingerprint, idle: setTimeout(() => undefined, 0) });
    return connection;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    for (const { idle } of entries) clearTimeout(idle);
    await Promise.all(entries.map(({ connection }) => connection.close()));
  }

  #use(key: string, entry: Entry): void {
    clearTimeout(entry.idle);
    entry.idle = setTimeout(() => {
      if (entry.connection.isBusy) this.#use(key, entry);
      else this.#end(key, entry);
    }, this.settings.idleMs).unref();
    this.#entries.delete(key);
    this.#entries.set(key, entry);
  }

  #end(key: string, entry: Entry): void {
    clearTimeout(entry.idle);
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
    void entry.connection.close();
  }

  #makeRoom(): boolean {
    if (this.#entries.size < this.settings.maxConnections) return true;
    for (const [key, entry] of this.#entries) {
      if (entry.connection.isBusy) continue;
      this.#end(key, entry);
      return true;
    }
    return false;
  }
}
