import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PostgresTenantConfiguration } from '../../src/features/settings/postgres-tenant-configuration.js';
import { Database } from '../../src/platform/postgres/store/prisma.js';
import { startTestServer, type TestServer } from '../support/server.js';

describe('attachments of prompts', () => {
  let server: TestServer;
  let database: Database;
  let workspaces: string;

  beforeAll(async () => {
    workspaces = await mkdtemp(path.join(tmpdir(), 'verbatim-attachments-'));
    server = await startTestServer({ WORKSPACES_DIR: workspaces });
    database = new Database({ url: server.database.ownerUrl, poolSize: 1, timeoutMs: 10_000, applicationName: 'verbatim test' });
  });
  afterAll(async () => {
    await database.close();
    await server.stop();
    await rm(workspaces, { recursive: true, force: true });
  });

  it('are in the log and in the payload, each once', async () => {
    const client = await server.tenant('with memory');
    const { tenantId } = (await client.get('/v1/me')).body;
    await new PostgresTenantConfiguration(database).change(tenantId, { instructions: 'Answer in verse.' });
    const id = await client.session();
    const folder = path.join(workspaces, tenantId, id, 'files');
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'CLAUDE.md'), 'Use tabs.');

    await client.ask(id, 'hello', { attachments: [{ type: 'selected_lines_in_ide', filename: 'a.ts', lineStart: 1, lineEnd: 2, content: 'let a' }] });
    await client.ask(id, 'again');
    const attached = (await client.messages(id)).filter(({ type }) => type === 'attachment').map(({ attachment }) => attachment);
    expect(attached).toEqual([
      { type: 'selected_lines_in_ide', filename: 'a.ts', lineStart: 1, lineEnd: 2, content: 'let a' },
      { type: 'memory', source: 'tenant', content: 'Answer in verse.' },
      { type: 'memory', source: 'workspace', path: 'CLAUDE.md', content: 'Use tabs.' },
    ]);
    const { payload, problems } = (await client.get(`/v1/sessions/${id}/payload`)).body;
    expect(problems).toEqual([]);
    const sent = JSON.stringify(payload.messages);
    for (const words of ['lines 1 to 2 of a.ts', 'Answer in verse.', 'Instructions from the file CLAUDE.md']) expect(sent.split(words)).toHaveLength(2);

    await writeFile(path.join(folder, 'CLAUDE.md'), 'Use blanks.');
    await client.ask(id, 'and now');
    const last = (await client.messages(id)).findLast(({ type }) => type === 'attachment');
    expect(last.attachment).toEqual({ type: 'memory', source: 'workspace', path: 'CLAUDE.md', content: 'Use blanks.' });

    const { data } = (await client.get(`/v1/sessions/${id}/requests`)).body;
    expect(data).toHaveLength(3);
    for (const { requestId } of data) expect((await client.get(`/v1/sessions/${id}/requests/${requestId}`)).body.verified).toBe(true);
  });

  it('are sent again after a rewind removed them', async () => {
    const client = await server.tenant('rewinding');
    const { tenantId } = (await client.get('/v1/me')).body;
    await new PostgresTenantConfiguration(database).change(tenantId, { instructions: 'Be brief.' });
    const id = await client.session();
    await client.ask(id, 'first');
    const [prompt] = await client.messages(id);
    await client.post(`/v1/sessions/${id}/rewinds`, { before: prompt.uuid });
    await client.ask(id, 'another first');
    const attached = (await client.messages(id)).filter(({ type }) => type === 'attachment');
    expect(attached.map(({ attachment }) => attachment.content)).toEqual(['Be brief.']);
  });
});
