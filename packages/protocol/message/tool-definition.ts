import type { Json } from './content.js';

/** A tool that this server runs. The first three members are those of the model API. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly input_schema: { readonly [key: string]: Json };
  /** Further names by which calls reach it, such as earlier ones. The model is not told of them. */
  readonly aliases?: readonly string[];
  /** `builtin`, or `mcp:NAME` for a tool of the MCP server NAME. */
  readonly source: string;
  /** What a call can change, for permission decisions. `read`: nothing; `edit`: files in the session's folder; `run`: anything. */
  readonly effect: 'read' | 'edit' | 'run';
}

/** A tool that the client runs. The shape is that of the model API. */
export interface ClientTool {
  readonly name: string;
  readonly description?: string;
  readonly input_schema: { readonly [key: string]: Json };
  /** Further names by which calls reach it, such as earlier ones. The model is not told of them. */
  readonly aliases?: readonly string[];
  /** The model sees the tool only once a result of the client names it in a `tool_reference`. Without tool search it is sent as any other. */
  readonly defer_loading?: boolean;
}
