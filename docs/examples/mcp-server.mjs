#!/usr/bin/env node
/** An MCP server over standard input and output with one tool, made with the official SDK. */
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

serveStdio(() => {
  const server = new McpServer({ name: 'clock', version: '1.0.0' });
  server.registerTool('now', { description: 'The current time.' }, () => ({ content: [{ type: 'text', text: new Date().toISOString() }] }));
  return server;
});
