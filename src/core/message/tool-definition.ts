import type { Json } from './content.js';

/** A tool that this server runs. The first three members are the model API's. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly input_schema: { readonly [key: string]: Json };
  /** `builtin`, or `mcp:NAME` for one that the server called NAME offers. */
  readonly source: string;
  /** What a call may do, which decides whether somebody has to allow it: `read` changes nothing, `edit` changes files of the session's folder, `run` anything. */
  readonly effect: 'read' | 'edit' | 'run';
}

/** A tool the client brought: the model may call it, the client answers. The shape is the model API's. */
export interface ClientTool {
  readonly name: string;
  readonly description?: string;
  readonly input_schema: { readonly [key: string]: Json };
}
