import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { chown, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { call } from '../support/tool-server.js';

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const uuid = (last: number): string => `0b5e6c1e-8a44-4d5f-9d3b-${String(last).padStart(12, '0')}`;

/** A large photo: more pixels than a model takes. */
const photo = (): Promise<Buffer> =>
  sharp({ create: { width: 5_000, height: 3_000, channels: 3, background: '#204080', noise: { type: 'gaussian', mean: 128, sigma: 12 } } })
    .jpeg({ quality: 60 })
    .toBuffer();

/** Where bytes can come in. `enter` resolves to a session in which they did. */
interface Door {
  readonly name: string;
  readonly enter: (server: DoorServer, bytes: Buffer) => Promise<string>;
  /** Whether the model is told the sizes. */
  readonly tellsSizes: boolean;
}

interface DoorServer {
  readonly client: Client;
  readonly workspaces: string;
  /** A folder that the server can read. */
  readonly folder: string;
}

const block = (bytes: Buffer): UnknownObject => ({ type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: bytes.toString('base64') } });

const lookup = { name: 'lookup', input_schema: { type: 'object' } };

/** Posts the result of a call that the client runs. */
async function answered({ client }: DoorServer, result: UnknownObject): Promise<string> {
  const id = await client.session({ tools: [lookup], model: 'claude-haiku-4-5' });
  const { toolCalls, turnId } = await client.ask(id, call('lookup', {}));
  expectStatus(await client.post(`/v1/sessions/${id}/tool-results`, { results: [{ toolUseId: toolCalls[0].toolUseId, ...result }] }), 202);
  expect((await client.settled(id, turnId)).status).toBe('completed');
  return id;
}

/** Lets a tool read the file in the session's folder. */
async function readFrom({ client, workspaces }: DoorServer, bytes: Buffer): Promise<string> {
  const id = await client.session({ permissionMode: 'bypassPermissions', model: 'claude-haiku-4-5' });
  await client.ask(id, call('Write', { file_path: 'a.txt', content: 'makes the folder' }));
  const [tenant = ''] = await readdir(workspaces);
  const files = path.join(workspaces, tenant, id, 'files');
  await writeFile(path.join(files, 'a.jpg'), bytes);
  const { uid, gid } = await stat(path.join(files, 'a.txt'));
  await chown(path.join(files, 'a.jpg'), uid, gid);
  await client.ask(id, call('Read', { file_path: 'a.jpg' }));
  return id;
}

/** Lets a tool of an MCP server show the file. */
async function shownBy(tool: string, { client, folder }: DoorServer, bytes: Buffer): Promise<string> {
  const file = path.join(folder, 'shown.jpg');
  await writeFile(file, bytes);
  const id = await client.session({ permissionMode: 'bypassPermissions', model: 'claude-haiku-4-5' });
  await client.ask(id, call(`mcp__pictures__${tool}`, { file }));
  return id;
}

async function imported({ client }: DoorServer, lines: readonly UnknownObject[]): Promise<string> {
  const file = lines.map((line) => JSON.stringify(line)).join('\n');
  const { body } = await client.call('POST', '/v1/imports?model=claude-haiku-4-5', `${file}\n`, { 'content-type': 'application/x-ndjson' });
  expect(body).toMatchObject({ skipped: [] });
  return body.id;
}

/** A conversation of Claude Code in which a tool has read the image: it is in the result, and again in the structured one. */
const claudeLines = (bytes: Buffer): readonly UnknownObject[] => {
  const line = { sessionId: uuid(0), timestamp: '2026-01-01T00:00:00.000Z', isSidechain: false, userType: 'external', cwd: '/', version: '2.0.0' };
  const assistant = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-haiku-4-5', stop_reason: 'tool_use', usage: {} };
  const file = { base64: bytes.toString('base64'), type: 'image/jpeg', originalSize: bytes.length };
  return [
    { ...line, type: 'user', uuid: uuid(1), parentUuid: null, message: { role: 'user', content: 'read it' } },
    {
      ...{ ...line, type: 'assistant', uuid: uuid(2), parentUuid: uuid(1) },
      message: { ...assistant, content: [{ type: 'tool_use', id: 'toolu_1', name: 'Read', input: { file_path: 'a.jpg' } }] },
    },
    {
      ...{ ...line, type: 'user', uuid: uuid(3), parentUuid: uuid(2), toolUseResult: { type: 'image', file } },
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [block(bytes)] }] },
    },
  ];
};

const DOORS: readonly Door[] = [
  {
    name: 'a prompt',
    tellsSizes: true,
    enter: async ({ client }, bytes) => {
      const id = await client.session({ model: 'claude-haiku-4-5' });
      await client.ask(id, [{ type: 'text', text: 'look' }, block(bytes)]);
      return id;
    },
  },
  {
    name: 'a slash command',
    tellsSizes: true,
    enter: async ({ client }, bytes) => {
      const id = await client.session({ model: 'claude-haiku-4-5' });
      await client.ask(id, '/look at [Image #3]', { pastedContents: { '3': { type: 'image', content: bytes.toString('base64') } } });
      return id;
    },
  },
  {
    name: 'the result of a client tool',
    tellsSizes: true,
    enter: (server, bytes) => answered(server, { content: [{ type: 'text', text: 'here' }, block(bytes)] }),
  },
  {
    name: 'a file that a tool reads',
    tellsSizes: true,
    enter: readFrom,
  },
  {
    name: 'the result of a tool of an MCP server',
    tellsSizes: true,
    enter: (server, bytes) => shownBy('show', server, bytes),
  },
  {
    name: 'a resource in the result of a tool of an MCP server',
    tellsSizes: true,
    enter: (server, bytes) => shownBy('attach', server, bytes),
  },
  {
    name: 'a file of this server',
    tellsSizes: false,
    enter: (server, bytes) =>
      imported(server, [
        { type: 'session', format: 'verbatim/1', model: 'claude-haiku-4-5' },
        { type: 'user', uuid: uuid(1), parentUuid: null, content: [{ type: 'text', text: 'look' }, block(bytes)] },
      ]),
  },
  { name: 'a session file of Claude Code', tellsSizes: false, enter: (server, bytes) => imported(server, claudeLines(bytes)) },
];

describe('bytes of an image are stored once, and sent as a prompt sends them, by way of', () => {
  let server: TestServer;
  let doors: DoorServer;
  let large: Buffer;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'doors-'));
    const [skills, workspaces] = [path.join(folder, 'skills'), path.join(folder, 'workspaces')];
    await mkdir(path.join(skills, 'look'), { recursive: true });
    await mkdir(workspaces);
    await writeFile(path.join(skills, 'look', 'SKILL.md'), '---\nname: look\ndescription: Looks.\n---\nLook closely.\n');
    const mcp = path.join(folder, 'mcp.json');
    const pictures = { command: process.execPath, args: [fileURLToPath(new URL('../mcp/servers/pictures.js', import.meta.url))] };
    await writeFile(mcp, JSON.stringify({ mcpServers: { pictures } }));
    const places = { SKILLS_DIR: skills, WORKSPACES_DIR: workspaces, MCP_FILE: mcp };
    server = await startTestServer({ ...places, TOOLS: 'Read,Write', BASH_USER: '', IMAGE_TIMEOUT_MS: '60000' });
    doors = { client: server.client, workspaces, folder };
    large = await photo();
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const sentImages = (payload: UnknownObject): readonly UnknownObject[] =>
    payload.messages
      .flatMap(({ content }: UnknownObject) => content)
      .flatMap((one: UnknownObject) => (one.type === 'tool_result' && Array.isArray(one.content) ? one.content : [one]))
      .filter(({ type }: UnknownObject) => type === 'image');
  const sourcesIn = (value: unknown): readonly UnknownObject[] => {
    const found: UnknownObject[] = [];
    JSON.stringify(value, (_, member: UnknownObject) => {
      if (member?.type === 'blob') found.push(member);
      return member;
    });
    return found;
  };
  const blob = async (id: string, name: string) =>
    fetch(`${server.client.baseUrl}/v1/sessions/${id}/blobs/${name}`, { headers: { authorization: `Bearer ${server.client.token}` } });

  it.each(DOORS)('$name', async ({ enter, tellsSizes }) => {
    const { client } = server;
    const id = await enter(doors, large);

    const events = await client.events(id);
    const log = JSON.stringify(events);
    expect(log).not.toContain(large.toString('base64').slice(200, 400));
    expect(log).not.toContain('"type":"base64"');
    for (const event of events) expect(JSON.stringify(event).length).toBeLessThan(50_000);
    expect(log.split(sha256(large)).length).toBeGreaterThan(1);

    const { payload, problems } = (await client.get(`/v1/sessions/${id}/payload`)).body;
    expect(problems).toEqual([]);
    const [sent, ...others] = sentImages(payload);
    expect(others).toEqual([]);
    const bytes = Buffer.from(sent.source.data, 'base64');
    expect(await sharp(bytes).metadata()).toMatchObject({ width: 1_400, height: 840, format: 'jpeg' });
    expect(sha256(bytes)).toBe(await fitted());
    expect(JSON.stringify(payload).includes('5000x3000 pixels and is shown at 1400x840')).toBe(tellsSizes);

    // Readers see it, and can have it as it came.
    const shown = sourcesIn(await client.messages(id, 'view=transcript'));
    expect(shown.map((source) => source.sha256)).toContain(sha256(bytes));
    expect((await blob(id, sha256(bytes))).status).toBe(200);
    expect(sha256(Buffer.from(await (await blob(id, sha256(large))).arrayBuffer()))).toBe(sha256(large));

    // A file that stands for itself leads to the same request.
    const { body: file } = await client.get<string>(`/v1/sessions/${id}/export`);
    expect(file).not.toContain('"blob"');
    const again = (await client.call('POST', '/v1/imports', file, { 'content-type': 'application/x-ndjson' })).body;
    expect((await client.get(`/v1/sessions/${again.id}/payload`)).body.payload.messages).toEqual(payload.messages);

    // An erasure reaches every copy of it.
    for (const message of await client.messages(id))
      if (JSON.stringify(message).includes('"blob"')) expectStatus(await client.call('DELETE', `/v1/sessions/${id}/messages/${message.uuid}`), 202);
    for (const name of [sha256(large), sha256(bytes)]) expect((await blob(id, name)).status).toBe(404);
    expect((await client.get(`/v1/sessions/${id}/audit`)).body).toMatchObject({ valid: true });
  });

  it('nothing: a result of a client tool with a file that cannot be sent is rejected, with the place, and the call still waits', async () => {
    const { client } = server;
    const id = await client.session({ tools: [lookup] });
    const { toolCalls, turnId } = await client.ask(id, call('lookup', {}));
    const { toolUseId } = toolCalls[0];
    const post = (content: unknown) => client.post(`/v1/sessions/${id}/tool-results`, { results: [{ toolUseId, content }] });
    const refused = [
      ['no image', block(Buffer.from('words')), 'image_rejected'],
      ['half an image', block(large.subarray(0, large.length / 2)), 'image_rejected'],
      ['no PDF', { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } }, 'document_rejected'],
    ] as const;
    for (const [label, file, code] of refused) {
      const { status, body } = await post([{ type: 'text', text: 'here' }, file]);
      expect([label, status, body.code, body.errors[0].pointer]).toEqual([label, 422, code, '/results/0/content/1/source/data']);
    }
    expectStatus(await client.post(`/v1/sessions/${id}/tool-results`, { results: [{ toolUseId: 'other', content: [block(large)] }] }), 409);
    expect((await blob(id, sha256(large))).status).toBe(404);
    expectStatus(await post([block(large)]), 202);
    expect((await client.settled(id, turnId)).status).toBe('completed');
  });

  it.each([
    ['a tool reads', readFrom],
    ['a tool of an MCP server shows', shownBy.bind(null, 'show')],
  ])('nothing: a file that %s and that does not decode is left out, and the model is told', async (_, enter) => {
    const id = await enter(doors, large.subarray(0, large.length / 2));
    const results = JSON.stringify(await server.client.messages(id));
    expect(results).toContain('[An image is left out: it cannot be decoded: it is damaged, truncated, or not of its declared type]');
    expect(results).not.toContain('"type":"image"');
  });

  let known: string | null = null;
  /** The digest of what a prompt with the image sends. */
  const fitted = async (): Promise<string> => {
    if (known !== null) return known;
    const id = await DOORS[0]!.enter(doors, large);
    const { payload } = (await server.client.get(`/v1/sessions/${id}/payload`)).body;
    return (known = sha256(Buffer.from(sentImages(payload)[0].source.data, 'base64')));
  };
});
