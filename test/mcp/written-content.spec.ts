import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { parseExact } from '../../packages/protocol/message/exact-json.js';
import { rewrittenResponse } from '../../src/engine/mcp/rewritten-response.js';
import type { McpServer } from '../../src/engine/mcp/server.js';
import { withWrittenContent, writtenContent } from '../../src/engine/mcp/written-content.js';
import type { ToolOutcome } from '../../src/ports/index.js';
import { jsonObjectText } from '../support/json-texts.js';
import { serve } from './servers/http-demo.js';
import { callOf, program, remote, SETTINGS, toolsOver } from './support.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const CONTENT = '{"id":9007199254740993,"f":1.0,"2":1,"1":2,"zero":-0,"f":0.10, "e":1E5}';

type Write = (message: string) => readonly [type: string, body: string];
const asEvent =
  (lineEnd: string): Write =>
  (message) => ['text/event-stream', ['id: 1', 'event: message', ...message.split('\n').map((line) => `data: ${line}`), '', ''].join(lineEnd)];

/** A server that writes the results of its calls by hand. */
async function writing(content: string, write: Write): Promise<McpServer> {
  const server = await serve((request, response) => {
    if (request.method === 'GET') return void response.writeHead(405).end();
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      const { id, method } = JSON.parse(body) as { id?: number; method: string };
      if (id === undefined) return void response.writeHead(202).end();
      const initialized = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '0' } };
      const result =
        method === 'initialize'
          ? JSON.stringify(initialized)
          : method === 'tools/list'
            ? JSON.stringify({ tools: [{ name: 'call', inputSchema: { type: 'object' } }] })
            : `{"content":[],\n"structuredContent":${content}}`;
      const [type, written] = write(`{"jsonrpc":"2.0","id":${id},"result":${result}}`);
      response.writeHead(200, { 'content-type': type }).end(written);
    });
  });
  closing.push(() => server.close());
  return remote('bad', server.url);
}

function run(server: McpServer): Promise<ToolOutcome> {
  const { tools } = toolsOver([server]);
  closing.push(() => tools.close());
  return tools.run(callOf('mcp__bad__call'), () => undefined, new AbortController().signal);
}

describe('structured content of a server', () => {
  it.each<[string, () => McpServer | Promise<McpServer>]>([
    ['over its output', () => program('bad', 'hostile-stdio', 'writes', CONTENT)],
    ['as a JSON response', () => writing(CONTENT, (message) => ['application/json; charset=utf-8', message])],
    ['as an event', () => writing(CONTENT, asEvent('\n'))],
    ['as an event with other line ends', () => writing(CONTENT, asEvent('\r\n'))],
  ])('is kept as it was written %s: the model gets its text, and no number is rounded', async (_, server) => {
    expect(await run(await server())).toEqual({ content: CONTENT, isError: false, toolUseResult: parseExact(CONTENT) });
  });

  it('counts without its white space: what is too long as it was written is short for the model, too', async () => {
    const content = `{"a":${' '.repeat(SETTINGS.resultCharacters)}9007199254740993}`;
    const server = await writing(content, (message) => ['application/json', message]);
    expect(await run(server)).toEqual({ content: '{"a":"9007199254740993"}', isError: false, toolUseResult: { a: '9007199254740993' } });
  });

  it('keeps any text, and changes no message without need', () => {
    fc.assert(
      fc.property(jsonObjectText, (text) => {
        const message = `{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"a":1}, "content":[],"structuredContent" : ${text}}}`;
        const sent = withWrittenContent(message);
        const { result } = JSON.parse(sent) as { readonly result: CallToolResult };
        expect(writtenContent(result) ?? JSON.stringify(result.structuredContent)).toBe(text);
        expect(sent === message).toBe(JSON.stringify(JSON.parse(text)) === text);
      }),
    );
    for (const other of ['', '{"structuredContent"', '{"id":1,"structuredContent":1.0}', '[{"result":{"structuredContent":{"a":1.0}}}]']) {
      expect(withWrittenContent(other)).toBe(other);
    }
  });
});

describe('a rewritten event stream', () => {
  const change = (message: string): string => message.replaceAll('old', 'newer');
  const written = async (chunks: readonly Uint8Array[]): Promise<string> => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk);
        controller.close();
      },
    });
    return (await rewrittenResponse(new Response(body, { headers: { 'content-type': 'text/event-stream' } }), change)).text();
  };
  const eventsIn = (text: string): readonly string[] =>
    text
      .replace(/\r\n?/g, '\n')
      .split(/\n\n+/)
      .map((event) => event.replace(/^\n+|\n+$/g, ''))
      .filter((event) => event !== '');

  it('has the same events, however its bytes arrive', async () => {
    const line = fc.constantFrom('data: old é 🧵', 'data:new', 'data: ', 'id: 12345678901234567890', ': comment', 'event: message', 'retry: 5');
    const event = fc.tuple(fc.array(line, { minLength: 1, maxLength: 4 }), fc.constantFrom('\n', '\r\n', '\r'));
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 4 }), fc.array(fc.nat(200), { maxLength: 6 }), async (events, cuts) => {
        const text = events.map(([lines, end]) => lines.map((each) => each + end).join('') + end).join('');
        const bytes = new TextEncoder().encode(text);
        const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((one, other) => one - other), bytes.length];
        const chunks = places.slice(1).map((end, index) => bytes.slice(places[index], end));
        const dataOf = (all: readonly string[]) => all.map((each) => each.split('\n').filter((one) => one.startsWith('data:')));
        const restOf = (all: readonly string[]) => all.map((each) => each.split('\n').filter((one) => !one.startsWith('data:')));
        const [sent, got] = [eventsIn(text), eventsIn(await written(chunks))];
        expect(restOf(got)).toEqual(restOf(sent));
        const joined = (data: readonly string[]): string => data.map((each) => each.replace(/^data: ?/, '')).join('\n');
        expect(dataOf(got).map(joined)).toEqual(dataOf(sent).map(joined).map(change));
      }),
      { numRuns: 300 },
    );
  });

  it('is left alone where nothing is changed, and so is any other response', async () => {
    const text = 'data: a\r\ndata: b\r\n\r\n: end';
    expect(await written([new TextEncoder().encode(text)])).toBe(text);
    for (const response of [new Response(null, { status: 202 }), new Response('old', { status: 400 }), new Response('old')]) {
      expect(await rewrittenResponse(response, change)).toBe(response);
    }
  });
});
