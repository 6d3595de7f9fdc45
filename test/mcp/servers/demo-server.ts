import { spawn } from 'node:child_process';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** The smallest picture there is: one pixel, PNG. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const text = (content: string) => ({ content: [{ type: 'text' as const, text: content }] });

/** A well-behaved server, made with the official SDK. `seen` is told of what happens to calls. */
export function demoServer(seen: (what: string) => void = () => undefined): McpServer {
  const server = new McpServer({ name: 'demo', version: '1.0.0' });
  let calls = 0;

  server.registerTool(
    'echo',
    { description: 'Says it again.', inputSchema: z.object({ text: z.string() }), annotations: { readOnlyHint: true } },
    ({ text: said }) => text(said),
  );
  server.registerTool('count', { title: 'Counts its calls', _meta: { aliases: ['tally', 'count.up'] } }, () => text(String((calls += 1))));
  server.registerTool('add.numbers', { inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() }) }, ({ a, b }) => ({
    content: [],
    structuredContent: { sum: a + b },
  }));
  server.registerTool('fail', {}, () => ({ ...text('it did not work'), isError: true }));
  server.registerTool('throw', {}, () => {
    throw new Error('out of order');
  });
  server.registerTool('everything', {}, () => ({
    content: [
      { type: 'text', text: 'Look:' },
      { type: 'image', mimeType: 'image/png', data: PIXEL },
      { type: 'image', mimeType: 'image/tiff', data: PIXEL },
      { type: 'image', mimeType: 'image/png', data: 'bm8gcGljdHVyZQ==' },
      { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' },
      { type: 'resource_link', uri: 'file:///notes.txt', name: 'notes', description: 'what was noted', mimeType: 'text/plain' },
      { type: 'resource', resource: { uri: 'file:///a.txt', text: 'inside' } },
      { type: 'resource', resource: { uri: 'file:///a.bin', mimeType: 'application/octet-stream', blob: 'AAAA' } },
    ],
  }));
  server.registerTool('long', { inputSchema: z.object({ characters: z.number() }) }, ({ characters }) => text('x'.repeat(characters)));
  server.registerTool('slow', {}, async (context) => {
    const token = context.mcpReq._meta?.progressToken;
    if (token !== undefined)
      await context.mcpReq.notify({ method: 'notifications/progress', params: { progressToken: token, progress: 1, total: 2, message: 'half way' } });
    await new Promise<void>((resolve) => context.mcpReq.signal.addEventListener('abort', () => resolve()));
    seen('cancelled');
    return text('never read');
  });
  server.registerTool('environment', {}, () => text(JSON.stringify(process.env)));
  server.registerTool('offspring', {}, () => text(String(spawn('sleep', ['600'], { stdio: 'ignore' }).pid)));
  server.registerTool('process', {}, () => text(String(process.pid)));
  server.registerTool('die', {}, () => process.exit(3));
  server.registerTool('grow', {}, () => {
    server.registerTool('grown', { description: 'Was not there before.' }, () => text('new'));
    return text('grown');
  });
  server.registerResource('today', 'note://today', { description: 'What is on today' }, (uri) => ({ contents: [{ uri: uri.href, text: 'tea at four' }] }));
  server.registerResource('drawing', 'note://drawing', {}, (uri) => ({ contents: [{ uri: uri.href, mimeType: 'image/png', blob: PIXEL }] }));
  server.registerResource('broken', 'note://broken', {}, () => {
    throw new Error('it is broken');
  });
  server.registerResource('hanging', 'note://hanging', {}, () => new Promise(() => undefined));
  return server;
}
