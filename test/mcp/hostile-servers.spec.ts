import { afterEach, describe, expect, it } from '@jest/globals';
import type { RequestListener } from 'node:http';
import type { McpTools } from '../../src/engine/mcp/mcp-tools.js';
import type { Json } from '../../packages/protocol/message/content.js';
import { serve } from './servers/http-demo.js';
import { callOf, program, remote, type Setup, toolsOver } from './support.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function over(mode: string, setup: Setup = {}) {
  const made = toolsOver([program('bad', 'hostile-stdio', mode)], setup);
  closing.push(() => made.tools.close());
  return made;
}

const run = (tools: McpTools, name = 'mcp__bad__call', input: Json = {}) => tools.run(callOf(name, input), () => undefined, new AbortController().signal);
const problemsOf = async (tools: McpTools): Promise<readonly string[]> => (await tools.problems('t1')).map(({ problem }) => problem);

describe('a program that fails before it lists tools', () => {
  const setup = { settings: { connectTimeoutMs: 700 } };
  it.each([
    ['mute', 'did not answer within 700 ms'],
    ['hangs-in-list', 'did not answer within 700 ms'],
    ['dies-early', 'its standard error: no such module: weather'],
    ['no-list', 'cannot be used now'],
  ])('%s: offers nothing, and the reason is told', async (mode, reason) => {
    const { tools, failures } = over(mode, mode === 'dies-early' || mode === 'no-list' ? {} : setup);
    expect(await tools.offered('t1')).toEqual([]);
    expect(await problemsOf(tools)).toEqual([expect.stringContaining(reason)]);
    expect(failures).toEqual([expect.stringContaining('MCP server bad of tenant t1')]);
    // Not asked again at once: one failure, however often somebody wants its tools.
    for (let n = 0; n < 3; n += 1) await tools.offered('t1');
    expect(failures).toHaveLength(1);
    expect(await run(tools)).toMatchObject({ isError: true });
  });

  it('may not exist', async () => {
    const { tools } = toolsOver([{ kind: 'stdio', name: 'gone', command: '/no/such/program', args: [], env: {} }]);
    expect(await tools.offered('t1')).toEqual([]);
    expect(await problemsOf(tools)).toEqual([expect.stringContaining('ENOENT')]);
    await tools.close();
  });

  it('does not delay other servers', async () => {
    const { tools } = toolsOver([program('bad', 'hostile-stdio', 'mute'), program('good', 'stdio-demo')], { settings: { connectTimeoutMs: 5_000 } });
    closing.push(() => tools.close());
    expect((await tools.offered('t1')).map(({ source }) => source)).toContain('mcp:good');
  });

  it('is abandoned when the connections are closed', async () => {
    const { tools } = over('mute', { settings: { connectTimeoutMs: 600_000 } });
    const offered = tools.offered('t1');
    await new Promise(setImmediate);
    await tools.close();
    expect(await offered).toEqual([]);
  });
});

describe('a list of tools', () => {
  it('is cut when it never ends', async () => {
    const { tools } = over('endless-list', { settings: { maxTools: 30 } });
    expect(await tools.offered('t1')).toHaveLength(30);
    expect(await problemsOf(tools)).toEqual(['It has more than 30 tools; the others are left out.']);
    const pages = over('endless-list', { settings: { maxTools: 1_000 } });
    expect(await pages.tools.offered('t1')).toHaveLength(100);
  });

  it('ends when a cursor repeats', async () => {
    const { tools } = over('same-cursor');
    expect((await tools.offered('t1')).map(({ name }) => name)).toEqual(['mcp__bad__one']);
  });

  it('omits tools that the model API rejects, and reports which and why', async () => {
    const { tools } = over('bad-schemas');
    const offered = await tools.offered('t1');
    expect(offered.map(({ name, effect }) => [name.replace(/_[0-9a-f]{8}$/, ''), effect])).toEqual([
      ['mcp__bad__good', 'run'],
      ['mcp__bad__odd_hints', 'run'],
    ]);
    expect(offered[0]?.description).toBe('');
    const problems = await problemsOf(tools);
    for (const told of [
      '"union"',
      '"text"',
      '"none"',
      '"deep" is left out: it is nested too deeply',
      '"wide" is left out: its definition has 60',
      'without a name',
      '"good" more than once',
      '"properties"',
    ]) {
      expect(problems).toContainEqual(expect.stringContaining(told));
    }
    expect(problems).toHaveLength(10);
  });
});

describe('a call', () => {
  it.each([
    ['hangs', 'did not answer within 500 ms', { callTimeoutMs: 500 }],
    ['dies', 'was lost during the call', {}],
    ['nonsense', 'could not carry out the call', {}],
    ['refuses', 'no no no', {}],
    ['logs', 'was lost during the call', {}],
    ['logs-to-error', 'was lost during the call', {}],
    ['one-long-line', 'was lost during the call', {}],
  ])('that %s is an outcome', async (mode, words, settings) => {
    const { tools } = over(mode, { settings });
    await tools.offered('t1');
    const { content, isError } = await run(tools);
    expect(isError).toBe(true);
    expect(content).toContain(words);
    expect(String(content).length).toBeLessThan(1_000);
  });

  it('drops structured content that is nested too deeply', async () => {
    const { tools } = over('deep-structure');
    expect(await run(tools)).toEqual({ content: 'ok', isError: false });
  });

  it('rejects requests of the server for unsupported features', async () => {
    const { tools } = over('asks-back');
    expect(await run(tools)).toEqual({ content: 'asked', isError: false });
    expect(await run(tools)).toEqual({ content: 'asked', isError: false });
  });

  it('ends promptly when it is interrupted, also while its server is connecting', async () => {
    const { tools } = over('mute', { settings: { connectTimeoutMs: 600_000 } });
    const stop = new AbortController();
    const outcome = tools.run(callOf('mcp__bad__call'), () => undefined, stop.signal);
    setImmediate(() => stop.abort());
    expect(await outcome).toEqual({ content: 'The call was cancelled before it began.', isError: true });
  });
});

describe('an HTTP server', () => {
  const hostile = async (listener: RequestListener, settings: Setup['settings'] = {}) => {
    const server = await serve(listener);
    closing.push(() => server.close());
    const made = toolsOver([remote('bad', server.url)], { settings: { connectTimeoutMs: 60_000, ...settings } });
    closing.push(() => made.tools.close());
    return made.tools;
  };

  /** For servers of which only the time limit ends the connection. */
  const soon = { connectTimeoutMs: 700 };
  it.each<[string, RequestListener, string, Setup['settings']?]>([
    ['never answers', () => undefined, 'did not answer within', soon],
    [
      'sends headers and no more',
      (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).write('{'),
      'did not answer within',
      soon,
    ],
    ['sends elsewhere', (_, response) => void response.writeHead(302, { location: 'http://169.254.169.254/' }).end(), 'redirect'],
    ['wants a login', (_, response) => void response.writeHead(401).end(), ''],
    ['is a web page', (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'), 'text/html'],
    ['breaks off', (request) => void request.socket.destroy(), ''],
    ['is broken', (_, response) => void response.writeHead(500).end('x'.repeat(100_000)), ''],
    ['speaks no JSON', (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{{{'), ''],
    [
      'sends without end',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const more = (): void => {
          while (response.write('x'.repeat(65_536)));
          response.once('drain', more);
        };
        more();
      },
      'more than 1000000 bytes',
    ],
    [
      'streams without end',
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const event = `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } })}\n\n`;
        const more = (): void => {
          while (response.write(event));
          response.once('drain', more);
        };
        more();
      },
      '',
      soon, // on a slow machine the messages do not exceed their rate
    ],
  ])('that %s offers nothing, and the reason is told', async (_, listener, reason, settings = {}) => {
    const tools = await hostile(listener, settings);
    expect(await tools.offered('t1')).toEqual([]);
    const [problem, ...others] = await problemsOf(tools);
    expect(problem).toMatch(/^It cannot be used now: ./);
    expect(problem).toContain(reason);
    expect(problem?.length).toBeLessThan(700);
    expect(others).toEqual([]);
  });

  it('is not reconnected in a tight loop when it keeps ending its stream', async () => {
    let streams = 0;
    const tools = await hostile((request, response) => {
      if (request.method === 'GET') {
        streams += 1;
        return void response.writeHead(200, { 'content-type': 'text/event-stream' }).end('retry: 0\n\n');
      }
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => {
        const { id, method } = JSON.parse(body) as { id?: number; method: string };
        if (id === undefined) return void response.writeHead(202).end();
        const result =
          method === 'initialize'
            ? { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'x', version: '0' } }
            : method === 'tools/list'
              ? { tools: [{ name: 'call', inputSchema: { type: 'object' } }] }
              : { content: [{ type: 'text', text: 'fine' }] };
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      });
    });
    for (let n = 0; n < 20; n += 1) expect(await run(tools)).toEqual({ content: 'fine', isError: false });
    // Twenty calls give it time for hundreds of streams.
    expect(streams).toBeLessThan(3);
  });
});
