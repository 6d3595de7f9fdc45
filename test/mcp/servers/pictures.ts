import { readFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const FILE = { inputSchema: z.object({ file: z.string() }), annotations: { readOnlyHint: true } };
const base64 = (file: string): string => readFileSync(file).toString('base64');

/** Shows a JPEG of this machine: as an image, or inside a resource. */
function pictures(): McpServer {
  const server = new McpServer({ name: 'pictures', version: '1.0.0' });
  server.registerTool('show', FILE, ({ file }) => ({ content: [{ type: 'image', mimeType: 'image/jpeg', data: base64(file) }] }));
  server.registerTool('attach', FILE, ({ file }) => ({
    content: [{ type: 'resource', resource: { uri: `file://${file}`, mimeType: 'image/jpeg', blob: base64(file) } }],
  }));
  return server;
}

serveStdio(pictures);
