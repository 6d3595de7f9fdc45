/** A program of the operator's that speaks MCP over its standard input and output. */
export interface StdioServer {
  readonly kind: 'stdio';
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A server that speaks MCP over streamable HTTP. */
export interface HttpServer {
  readonly kind: 'http';
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether it may be at an address of this machine or its network: the operator's may, a tenant's only when the operator says so. */
  readonly allowPrivate: boolean;
}

export type McpServer = StdioServer | HttpServer;

export interface McpSettings {
  /** For connecting and reading the list of tools together. */
  readonly connectTimeoutMs: number;
  readonly callTimeoutMs: number;
  /** How long a list of tools is good when its server says nothing. */
  readonly listTtlMs: number;
  /** How long an unused connection is kept. */
  readonly idleMs: number;
  /** Connections of one process, all tenants together. */
  readonly maxConnections: number;
  /** Tools of one tenant, all servers together. */
  readonly maxTools: number;
  /** Longest definition of a tool, as JSON. */
  readonly toolCharacters: number;
  /** Longest text of a result. */
  readonly resultCharacters: number;
  /** Longest message a server may send. */
  readonly messageBytes: number;
  /** What PATH, HOME, LANG, TZ and TMPDIR of a program are taken from; nothing else of it reaches one. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}
