import { count, flag, milliseconds, text } from './kinds.js';

/** MCP servers and their limits. */
export const MCP_SETTINGS = {
  MCP_FILE: text,
  MCP_ALLOW_PRIVATE: flag(false),
  MCP_CONNECT_TIMEOUT_MS: milliseconds(10_000),
  MCP_CALL_TIMEOUT_MS: milliseconds(60_000),
  MCP_RESOURCE_TIMEOUT_MS: milliseconds(10_000),
  MCP_LIST_TTL_MS: milliseconds(300_000),
  MCP_IDLE_MS: milliseconds(600_000),
  MCP_MAX_CONNECTIONS: count(200, 10_000),
  MCP_MAX_TOOLS: count(200, 10_000),
  MCP_TOOL_CHARACTERS: count(50_000),
  MCP_RESULT_CHARACTERS: count(100_000, 10_000_000),
  MCP_MESSAGE_BYTES: count(16 * 1024 * 1024, 256 * 1024 * 1024),
};
