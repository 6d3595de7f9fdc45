import { ServerConnection } from './server-connection.js';
import type { McpSettings, McpServer } from './server.js';

interface Kept {
  readonly connection: ServerConnection;
  /** Changes when the server's settings do. */
  readonly fingerprint: string;
  idle: NodeJS.Timeout;
}

/** Connections by tenant and server. No tenant ever uses another one's, even to a server that all of them have. */
export class Connections {
  /** In the order in which they were last used. */
  readonly #kept = new Map<string, Kept>();
  #closed = false;

  constructor(
    private readonly settings: McpSettings,
    private readonly onFailure: (problem: string) => void,
  ) {}

  /** Null when there is no room for it: every connection is in the middle of a call. */
  of(tenantId: string, server: McpServer): ServerConnection | null {
    const key = JSON.stringify([tenantId, server.name]);
    const fingerprint = JSON.stringify(server);
    const kept = this.#kept.get(key);
    if (kept?.fingerprint === fingerprint) {
      this.#use(key, kept);
      return kept.connection;
    }
    if (kept) this.#end(key, kept);
    if (this.#closed || !this.#makeRoom()) return null;
    const connection = new ServerConnection(server, tenantId, this.settings, (problem) =>
      this.onFailure(`MCP server ${server.name} of tenant ${tenantId}: ${problem}`),
    );
    this.#use(key, { connection, fingerprint, idle: setTimeout(() => undefined, 0) });
    return connection;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const kept = [...this.#kept.values()];
    this.#kept.clear();
    for (const { idle } of kept) clearTimeout(idle);
    await Promise.all(kept.map(({ connection }) => connection.close()));
  }

  #use(key: string, kept: Kept): void {
    clearTimeout(kept.idle);
    kept.idle = setTimeout(() => {
      if (kept.connection.isBusy) this.#use(key, kept);
      else this.#end(key, kept);
    }, this.settings.idleMs).unref();
    this.#kept.delete(key);
    this.#kept.set(key, kept);
  }

  #end(key: string, kept: Kept): void {
    clearTimeout(kept.idle);
    if (this.#kept.get(key) === kept) this.#kept.delete(key);
    void kept.connection.close();
  }

  #makeRoom(): boolean {
    if (this.#kept.size < this.settings.maxConnections) return true;
    for (const [key, kept] of this.#kept) {
      if (kept.connection.isBusy) continue;
      this.#end(key, kept);
      return true;
    }
    return false;
  }
}
