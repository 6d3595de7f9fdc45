import type { Dialect } from './dialect.js';
import { block, variant } from './parts.js';
import { tagged, text, type Shape } from './shape.js';
import { toolDefinition } from './tools.js';

const name = text({ min: 1 });

const references = {
  tool_reference: variant({ name }),
  mcp_tool_reference: variant({ name, server_name: name }),
  mcp_toolset_reference: variant({ server_name: name }),
};

/** Blocks that add or remove a tool from here on (docs: Mid-conversation system messages; Compaction). */
export const toolChange = (dialect: Dialect): Readonly<Record<string, Shape>> => ({
  tool_addition: block({ tool: tagged({ ...references, tool_definition: variant({ definition: toolDefinition(dialect) }) }) }),
  tool_removal: block({ tool: tagged(references) }),
});
