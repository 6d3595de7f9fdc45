import { TOOL_USE_ID, block, cacheControl, textBlock, variant } from './parts.js';
import { anything, flag, list, nullable, object, record, tagged, text, textOr } from './shape.js';

/** MCP servers, their toolsets, and the blocks of their calls (docs: MCP connector). */

const configuration = object({}, { allowed_tools: nullable(list(text())), enabled: nullable(flag) });

export const mcpServers = list(
  tagged({
    url: variant({ name: text({ min: 1 }), url: text({ min: 1 }) }, { authorization_token: nullable(text()), tool_configuration: nullable(configuration) }),
  }),
);

const config = object({}, { defer_loading: flag, enabled: flag });

const mcpTool = object({ name: text({ min: 1 }), input_schema: record }, { description: nullable(text()) });

/** The tools that a server listed, in an assistant turn. */
export const mcpListing = { mcp_tool_listing: variant({ mcp_server_name: text({ min: 1 }), tools: list(mcpTool) }) };

export const mcpToolset = {
  mcp_toolset: variant(
    { mcp_server_name: text({ min: 1 }) },
    { cache_control: cacheControl, configs: nullable(record), default_config: config, tools: nullable(list(mcpTool)) },
  ),
};

export const mcpBlocks = {
  mcp_tool_use: block({ id: text({ pattern: TOOL_USE_ID }), name: text(), server_name: text(), input: anything }),
  mcp_tool_result: block({ tool_use_id: text({ pattern: TOOL_USE_ID }) }, { is_error: flag, content: textOr(list(tagged({ text: textBlock }))) }),
};
