import { afterEach, describe, expect, it } from '@jest/globals';
import type { McpTools } from '../../src/engine/mcp/mcp-tools.js';
import type { McpServer } from '../../src/engine/mcp/server.js';
import type { Json } from '../../packages/protocol/message/content.js';
import type { ToolOutcome } from '../../src/ports/index.js';
import { until } from '../support/until.js';
import { httpDemo, type HttpDemo } from './servers/http-demo.js';
import { callOf, program, remote, type Setup, toolsOver } from './support.js';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

function over(servers: readonly McpServer[], setup: Setup = {}) {
  const made = toolsOver(servers, setup);
  closing.push(() => made.tools.close());
  return made;
}

async function demo(kind?: 'sessions' | 'newest'): Promise<HttpDemo> {
  const made = await httpDemo(kind);
  closing.push(() => made.close());
  return made;
}

const run = (tools: McpTools, name: string, input: Json = {}, tenantId = 't1'): Promise<ToolOutcome> =>
  tools.run(callOf(name, input, tenantId), () => undefined, new AbortController().signal);

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe.each(['a program', 'streamable HTTP', 'a program of the newest revision alone', 'HTTP of the newest revision alone'])('%s', (kind) => {
  const start = async (setup: Setup = {}) => {
    if (kind === 'a program') return over([program('demo', 'stdio-demo')], setup).tools;
    if (kind === 'a program of the newest revision alone') return over([program('demo', 'stdio-demo', 'newest-only')], setup).tools;
    return over([remote('demo', (await demo(kind === 'streamable HTTP' ? 'sessions' : 'newest')).url)], setup).tools;
  };

  it('offers its tools', async () => {
    const tools = await start();
    const offered = await tools.offered('t1');
    expect(await tools.problems('t1')).toEqual([]);
    expect(offered.map(({ name }) => name)).toEqual([...offered.map(({ name }) => name)].sort());
    expect(offered.find(({ name }) => name === 'mcp__demo__echo')).toEqual({
      name: 'mcp__demo__echo',
      description: 'Says it again.',
      input_schema: expect.objectContaining({ type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }),
      source: 'mcp:demo',
      effect: 'read',
    });
    expect(offered.find(({ name }) => name === 'mcp__demo__count')).toMatchObject({ description: 'Counts its calls', effect: 'run' });
  });

  it('runs calls', async () => {
    const tools = await start();
    expect(await run(tools, 'mcp__demo__echo', { text: 'hello' })).toEqual({ content: 'hello', isError: false });
    expect(await run(tools, 'mcp__demo__fail')).toEqual({ content: 'it did not work', isError: true });
    expect(await run(tools, 'mcp__demo__throw')).toMatchObject({ content: expect.stringContaining('out of order'), isError: true });
    expect(await run(tools, 'mcp__demo__echo', { text: 5 })).toMatchObject({ isError: true });
    expect(await run(tools, 'mcp__demo__echo', ['hello'])).toMatchObject({ isError: true });
    expect(await run(tools, 'mcp__demo__nothing')).toMatchObject({ content: expect.stringContaining('is not available'), isError: true });
  });

  it('keeps structured content, and shows it when there is no text', async () => {
    const tools = await start();
    const name = (await tools.offered('t1')).find((tool) => tool.name.startsWith('mcp__demo__add_numbers_'))?.name ?? '';
    expect(await run(tools, name, { a: 2, b: 3 })).toEqual({ content: '{"sum":5}', isError: false, toolUseResult: { sum: 5 } });
  });

  it('returns text and images, and names other content', async () => {
    const { content } = await run(await start(), 'mcp__demo__everything');
    expect(content).toEqual([
      { type: 'text', text: 'Look:' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: expect.any(String) } },
      // Looked at where results are recorded, as those of all tools.
      { type: 'image', source: { type: 'base64', media_type: 'image/tiff', data: expect.any(String) } },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: expect.any(String) } },
      { type: 'text', text: expect.stringContaining('Audio of type audio/wav') },
      { type: 'text', text: '[Resource file:///notes.txt of type text/plain: notes: what was noted]' },
      { type: 'text', text: '[Resource file:///a.txt]\ninside' },
      { type: 'text', text: expect.stringContaining('application/octet-stream') },
    ]);
  });

  it('truncates a result that is too long', async () => {
    const { content } = await run(await start(), 'mcp__demo__long', { characters: 50_000 });
    expect(content).toMatch(/^x{10000}\n\[The answer is cut here: it has 50000 characters, and 10000 are kept\]$/);
  });

  it('reports progress, and cancels a call when it is interrupted', async () => {
    const tools = await start();
    await tools.offered('t1');
    const stop = new AbortController();
    const progress: Json[] = [];
    const outcome = await tools.run(
      callOf('mcp__demo__slow'),
      (data) => {
        progress.push(data);
        stop.abort();
      },
      stop.signal,
    );
    expect(progress).toEqual([{ type: 'mcp', progress: 1, total: 2, message: 'half way' }]);
    expect(outcome).toEqual({ content: 'The call was cancelled.', isError: true });
    expect(await run(tools, 'mcp__demo__echo', { text: 'still there' })).toMatchObject({ content: 'still there' });
  });

  it('stops waiting at the call timeout', async () => {
    const tools = await start({ settings: { callTimeoutMs: 300 } });
    expect(await run(tools, 'mcp__demo__slow')).toMatchObject({ content: expect.stringContaining('did not answer within 300 ms'), isError: true });
  });
});

describe('a list of tools', () => {
  it.each(['a program', 'streamable HTTP'])('is fetched again when %s reports a change', async (kind) => {
    const { tools } = over([kind === 'a program' ? program('demo', 'stdio-demo') : remote('demo', (await demo()).url)]);
    expect((await tools.offered('t1')).some(({ name }) => name === 'mcp__demo__grown')).toBe(false);
    await run(tools, 'mcp__demo__grow');
    await until('the new tool is offered', async () => (await tools.offered('t1')).some(({ name }) => name === 'mcp__demo__grown'));
    expect(await run(tools, 'mcp__demo__grown')).toMatchObject({ content: 'new' });
  });

  it('is returned when stale, and refreshed in the background', async () => {
    const server = await demo();
    const lists = () => server.requests.filter(({ method }) => method === 'POST').length;
    const { tools } = over([remote('demo', server.url)], { settings: { listTtlMs: 1 } });
    await tools.offered('t1');
    const before = lists();
    await until('the list has been read again', async () => (await tools.offered('t1')).length > 0 && lists() > before);
  });

  it('is cached while it is fresh', async () => {
    const server = await demo();
    const { tools } = over([remote('demo', server.url)]);
    await tools.offered('t1');
    const before = server.requests.length;
    for (let n = 0; n < 5; n += 1) await tools.offered('t1');
    expect(server.requests.filter(({ method }) => method === 'POST').length).toBeLessThanOrEqual(before);
  });

  it('is limited, and the limit is reported', async () => {
    const { tools } = over([program('demo', 'stdio-demo'), program('second', 'stdio-demo')], { settings: { maxTools: 5 } });
    expect(await tools.offered('t1')).toHaveLength(5);
    expect(await tools.problems('t1')).toContainEqual({ source: 'mcp', problem: expect.stringContaining('at most 5') });
  });
});

describe('a connection', () => {
  it('is reopened after the server has died', async () => {
    const { tools } = over([program('demo', 'stdio-demo')]);
    const first = (await run(tools, 'mcp__demo__process')).content;
    expect(await run(tools, 'mcp__demo__die')).toMatchObject({
      isError: true,
      content: expect.stringContaining('Whether the call had an effect is not known'),
    });
    const second = (await run(tools, 'mcp__demo__process')).content;
    expect(Number(second)).toBeGreaterThan(0);
    expect(second).not.toBe(first);
  });

  it('is reopened when the server has lost the session, and the call runs once', async () => {
    const server = await demo();
    const { tools } = over([remote('demo', server.url)]);
    expect(await run(tools, 'mcp__demo__count')).toMatchObject({ content: '1' });
    server.forget();
    expect(await run(tools, 'mcp__demo__count')).toMatchObject({ content: '1', isError: false });
  });

  it('sends the configured headers', async () => {
    const server = await demo();
    const { tools } = over([remote('demo', server.url)]);
    await run(tools, 'mcp__demo__echo', { text: 'x' });
    expect(server.requests.every(({ headers }) => headers['x-key'] === 'secret')).toBe(true);
  });

  it('belongs to one tenant, also for programs', async () => {
    const server = await demo();
    const { tools } = over([program('own', 'stdio-demo'), remote('far', server.url)]);
    for (const name of ['mcp__own__count', 'mcp__far__count']) {
      expect([await run(tools, name, {}, 't1'), await run(tools, name, {}, 't1'), await run(tools, name, {}, 't2')].map(({ content }) => content)).toEqual([
        '1',
        '2',
        '1',
      ]);
    }
    const environment = JSON.parse(String((await run(tools, 'mcp__own__environment', {}, 't2')).content)) as Record<string, string>;
    expect(environment).toMatchObject({ VERBATIM_TENANT_ID: 't2', GIVEN: 'to the server' });
  });

  it("gives a program nothing else of the server's environment", async () => {
    const { tools } = over([program('demo', 'stdio-demo')], {
      settings: { environment: { PATH: process.env['PATH'], ANTHROPIC_API_KEY: 'secret', DATABASE_URL: 'secret' } },
    });
    const environment = JSON.parse(String((await run(tools, 'mcp__demo__environment')).content)) as Record<string, string>;
    expect(Object.keys(environment).sort()).toEqual(['GIVEN', 'PATH', 'VERBATIM_TENANT_ID']);
  });

  it('ends its program and descendants when it is closed', async () => {
    const { tools } = over([program('demo', 'stdio-demo'), program('stubborn', 'hostile-stdio', 'ignores-signals')]);
    const pids = [Number((await run(tools, 'mcp__demo__process')).content), Number((await run(tools, 'mcp__demo__offspring')).content)];
    await run(tools, 'mcp__stubborn__call');
    expect(pids.map(isAlive)).toEqual([true, true]);
    await tools.close();
    await until('both processes are gone', () => Promise.resolve(!pids.some(isAlive)));
    expect(await tools.offered('t1')).toEqual([]);
  });

  it('ends the session on the server when it is closed', async () => {
    const server = await demo();
    const { tools } = over([remote('demo', server.url)]);
    await tools.offered('t1');
    expect(server.sessions()).toBe(1);
    await tools.close();
    expect(server.sessions()).toBe(0);
  });

  it('is closed when it is idle, and when the limit is reached', async () => {
    const idle = over([program('demo', 'stdio-demo')], { settings: { idleMs: 50 } });
    const pid = Number((await run(idle.tools, 'mcp__demo__process')).content);
    await until('the process is gone', () => Promise.resolve(!isAlive(pid)));

    const full = over([program('demo', 'stdio-demo')], { settings: { maxConnections: 1 } });
    const first = Number((await run(full.tools, 'mcp__demo__process', {}, 't1')).content);
    expect(await run(full.tools, 'mcp__demo__process', {}, 't2')).toMatchObject({ isError: false });
    await until('the process is gone', () => Promise.resolve(!isAlive(first)));
  });
});

describe('the MCP servers of a tenant', () => {
  it('are offered to that tenant only', async () => {
    const server = await demo();
    const { tools } = over([], { allowPrivate: true, tenants: { t1: { mine: { url: server.url, headers: { authorization: 'Bearer one' } } } } });
    expect((await tools.offered('t1')).map(({ source }) => source)).toContain('mcp:mine');
    expect(await tools.offered('t2')).toEqual([]);
    expect(await run(tools, 'mcp__mine__echo', { text: 'x' }, 't2')).toMatchObject({ isError: true });
    expect(server.requests[0]?.headers['authorization']).toBe('Bearer one');
  });

  it('do not replace those of the operator', async () => {
    const [operators, tenants] = [await demo(), await demo()];
    const { tools } = over([remote('demo', operators.url)], { allowPrivate: true, tenants: { t1: { demo: { url: tenants.url } } } });
    await run(tools, 'mcp__demo__echo', { text: 'x' });
    expect([operators.requests.length > 0, tenants.requests.length]).toEqual([true, 0]);
    expect(await tools.problems('t1')).toEqual([{ source: 'mcp:demo', problem: expect.stringContaining('taken') }]);
  });

  it.each(['http://127.0.0.1:PORT/mcp', 'http://localhost:PORT/mcp', 'http://[::ffff:127.0.0.1]:PORT/mcp'])('are not called at %s', async (pattern) => {
    const server = await demo();
    const url = pattern.replace('PORT', new URL(server.url).port);
    const { tools, failures } = over([], { tenants: { t1: { inside: { url } } } });
    expect(await tools.offered('t1')).toEqual([]);
    expect(await tools.problems('t1')).toEqual([{ source: 'mcp:inside', problem: expect.stringContaining('not at a public address') }]);
    expect(server.requests).toEqual([]);
    expect(failures).toEqual([expect.stringContaining('tenant t1')]);
  });

  it('are reconnected when their settings change', async () => {
    const [before, after] = [await demo(), await demo()];
    const tenants: Record<string, Record<string, { url: string }>> = { t1: { mine: { url: before.url } } };
    const { tools } = over([], { allowPrivate: true, tenants });
    await run(tools, 'mcp__mine__count');
    tenants['t1'] = { mine: { url: after.url } };
    expect(await run(tools, 'mcp__mine__count')).toMatchObject({ content: '1' });
    await until('the old session is over', () => Promise.resolve(before.sessions() === 0));
    delete tenants['t1'];
    expect(await tools.offered('t1')).toEqual([]);
  });
});
