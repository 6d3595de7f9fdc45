/** A program of the operator that speaks MCP over its standard input and output. */
export interface StdioServer {
  readonly kind: 'stdio';
  readonly name: string;
  /** The plugin that brings it; only tenants that enable the plugin have the server. */
  readonly plugin?: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** A server that speaks MCP over streamable HTTP. */
export interface HttpServer {
  readonly kind: 'http';
  readonly name: string;
  readonly plugin?: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether private addresses are allowed: always for the operator's servers, for a tenant's by configuration. */
  readonly allowPrivate: boolean;
}

export type McpServer = StdioServer | HttpServer;

export interface McpSettings {
  /** For connecting and listing the tools together. */
  readonly connectTimeoutMs: number;
  readonly callTimeoutMs: number;
  /** How long a list of tools is cached when its server reports no change. */
  readonly listTtlMs: number;
  /** How long an idle connection is kept. */
  readonly idleMs: number;
  /** Connections of this process, all tenants together. */
  readonly maxConnections: number;
  /** Tools of one tenant, all servers together. */
  readonly maxTools: number;
  /** Longest definition of a tool, as JSON. */
  readonly toolCharacters: number;
  /** Longest text of a result. */
  readonly resultCharacters: number;
  /** Longest message a server may send. */
  readonly messageBytes: number;
  /** Programs inherit a few harmless variables of it and nothing else. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}
