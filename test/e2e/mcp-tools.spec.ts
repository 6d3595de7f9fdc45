import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readSettings } from '../../src/platform/config/env.js';
import { start } from '../../src/start.js';
import { expectStatus, type UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';

const script = (name: string): string => fileURLToPath(new URL(`../mcp/servers/${name}.js`, import.meta.url));

describe('tools of MCP servers', () => {
  let server: TestServer;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'verbatim-tools-'));
    const file = path.join(folder, 'mcp.json');
    const mcpServers = {
      demo: { command: process.execPath, args: [script('stdio-demo')] },
      picky: { command: process.execPath, args: [script('hostile-stdio'), 'bad-schemas'] },
      gone: { command: '/no/such/program' },
    };
    await writeFile(file, JSON.stringify({ mcpServers }));
    server = await startTestServer({ MCP_FILE: file });
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('are listed, with the problems of those that are not offered', async () => {
    const { status, body } = await server.client.get('/v1/tools');
    expect(status).toBe(200);
    expect(body.data).toContainEqual({
      name: 'mcp__demo__echo',
      description: 'Says it again.',
      input_schema: expect.objectContaining({ type: 'object', required: ['text'] }),
      source: 'mcp:demo',
      effect: 'read',
    });
    expect(body.data.map(({ name }: { name: string }) => name)).toContain('mcp__picky__good');
    expect(body.problems).toContainEqual({ source: 'mcp:gone', problem: expect.stringContaining('ENOENT') });
    expect(body.problems).toContainEqual({ source: 'mcp:picky', problem: expect.stringContaining('"union"') });
  });

  it('that agents name are known, or said not to be', async () => {
    const admin = await server.tenant('names tools');
    const agents = { critic: { description: 'd', prompt: 'p', tools: ['mcp__demo__echo', 'mcp__demo__ecco', 'Reed', 'mcp__gone__look'] } };
    expectStatus(await admin.call('PATCH', '/v1/settings', { agents }), 200);
    const { data, problems } = expectStatus(await admin.get('/v1/tools'), 200).body;
    expect(data.map(({ name }: UnknownObject) => name)).toContain('mcp__demo__echo');
    expect(problems.filter(({ source }: UnknownObject) => source.startsWith('agent:'))).toEqual([
      { source: 'agent:critic', problem: 'names tools that helpers are not offered: mcp__demo__ecco, Reed' },
      { source: 'agent:critic', problem: 'names tools of MCP servers whose tools are not known now: mcp__gone__look' },
    ]);
  });

  it('are called by the model in a turn, without a decision where the mode allows reading', async () => {
    const { client } = server;
    const id = await client.session();
    const turn = await client.ask(id, 'Please {{tool mcp__demo__echo {"text":"from afar"}}}');
    expect(turn).toMatchObject({ status: 'completed', toolCalls: [{ name: 'mcp__demo__echo', status: 'settled', outcome: 'finished', isError: false }] });
    const results = (await client.messages(id)).flatMap(({ content }) => (Array.isArray(content) ? content : [])).filter(({ type }) => type === 'tool_result');
    expect(results).toMatchObject([{ content: 'from afar' }]);
    const { payload, problems } = (await client.get(`/v1/sessions/${id}/payload`)).body;
    expect(problems).toEqual([]);
    expect(payload.tools.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(['mcp__demo__echo', 'mcp__picky__good']));
    for (const { requestId } of (await client.get(`/v1/sessions/${id}/requests`)).body.data)
      expect((await client.get(`/v1/sessions/${id}/requests/${requestId}`)).body.verified).toBe(true);
  });

  it('are reached by their aliases, under the rules for their names; the model is sent each once, by its name', async () => {
    const { client } = server;
    const id = await client.session({ permissionMode: 'bypassPermissions' });
    expect((await client.get('/v1/tools')).body.data.find(({ name }: { name: string }) => name === 'mcp__demo__count').aliases).toContain('mcp__demo__tally');
    const turn = await client.ask(id, 'Please {{tool mcp__demo__tally {}}}');
    expect(turn).toMatchObject({ status: 'completed', toolCalls: [{ name: 'mcp__demo__count', status: 'settled', isError: false }] });
    const { payload, problems } = (await client.get(`/v1/sessions/${id}/payload`)).body;
    expect(problems).toEqual([]);
    expect(payload.tools.filter(({ name }: { name: string }) => /count|tally/.test(name))).toEqual([
      { name: 'mcp__demo__count', description: 'Counts its calls', input_schema: expect.anything() },
    ]);
    // What the model wrote stays as it was written.
    expect(JSON.stringify(payload.messages)).toContain('"name":"mcp__demo__tally"');
    const forbidding = await client.session({ permissionMode: 'bypassPermissions', permissions: { deny: ['mcp__demo__count'] } });
    const denied = await client.ask(forbidding, 'Please {{tool mcp__demo__tally {}}}');
    expect(denied.toolCalls).not.toContainEqual(expect.objectContaining({ isError: false }));
  });

  it('return images and structured content', async () => {
    const { client } = server;
    const id = await client.session({ permissionMode: 'bypassPermissions' });
    await client.ask(id, 'Please {{tool mcp__demo__everything {}}}');
    const result = (await client.messages(id)).flatMap(({ content }) => (Array.isArray(content) ? content : [])).find(({ type }) => type === 'tool_result');
    expect(result.content.map(({ type }: { type: string }) => type)).toContain('image');
    expect((await client.get(`/v1/sessions/${id}/payload`)).body.problems).toEqual([]);
  });

  it('come with resources, which a prompt attaches by mentioning them', async () => {
    const { client } = server;
    const id = await client.session();
    const prompt = 'See @demo:note://today, @demo:note://drawing, @demo:note://broken, @demo:note://none and @gone:x:y, not @other:note://today {{say done}}';
    expect((await client.ask(id, prompt)).status).toBe('completed');
    const attachments = (await client.messages(id)).flatMap(({ attachment }) => (attachment?.type === 'mcp_resource' ? [attachment] : []));
    expect(attachments).toEqual([
      { type: 'mcp_resource', server: 'demo', uri: 'note://today', content: 'tea at four' },
      { type: 'mcp_resource', server: 'demo', uri: 'note://drawing', content: expect.stringContaining('image/png') },
      { type: 'mcp_resource', server: 'demo', uri: 'note://broken', error: expect.stringContaining('it is broken') },
      { type: 'mcp_resource', server: 'demo', uri: 'note://none', error: expect.stringMatching(/not found/i) },
      { type: 'mcp_resource', server: 'gone', uri: 'x:y', error: expect.stringContaining('ENOENT') },
    ]);
    const [request] = (await client.get(`/v1/sessions/${id}/requests`)).body.data;
    const sent = JSON.stringify((await client.get(`/v1/sessions/${id}/requests/${request.requestId}`)).body.payload);
    expect(sent).toContain('The user named the resource note://today of demo. It holds:\\ntea at four');
    expect(sent).toMatch(/The user named the resource note:\/\/broken of demo\. It could not be read: [^"]*it is broken/);
  });

  it('are not waited for longer than the setting says', async () => {
    const patient = await startTestServer({ MCP_FILE: path.join(folder, 'mcp.json'), MCP_RESOURCE_TIMEOUT_MS: '4000' });
    const id = await patient.client.session();
    expect((await patient.client.ask(id, 'See @demo:note://hanging {{say done}}')).status).toBe('completed');
    const [attached] = (await patient.client.messages(id)).flatMap(({ attachment }) => (attachment?.type === 'mcp_resource' ? [attachment] : []));
    expect(attached.error).toMatch(/did not answer within 4000 ms|timed out/i);
    await patient.stop();
  });

  it('prevent the start when their file is not valid', async () => {
    const file = path.join(folder, 'broken.json');
    await writeFile(file, JSON.stringify({ mcpServers: { bad: { type: 'sse', url: 'https://x.example' } } }));
    await expect(start(readSettings({ LOG_LEVEL: 'silent', PORT: '0', MCP_FILE: file, DATABASE_URL: server.database.ownerUrl }))).rejects.toThrow(
      'mcpServers.bad.type',
    );
  });
});
