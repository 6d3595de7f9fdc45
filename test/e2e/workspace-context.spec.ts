import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describeWith, GIT, SHELL } from '../support/needs.js';
import type { Client, UnknownObject } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';

describeWith(GIT, SHELL)('what the server adds to a prompt', () => {
  let data: string;
  let server: TestServer;
  let client: Client;

  beforeAll(async () => {
    data = await mkdtemp(path.join(tmpdir(), 'verbatim-context-'));
    await chmod(data, 0o711); // for the accounts of sessions
    server = await startTestServer({ DATA_DIR: data, TOOLS: 'Bash,Read', CURRENT_DATE: 'true' });
    client = server.client;
  });
  afterAll(async () => {
    await server.stop();
    await rm(data, { recursive: true, force: true });
  });

  const attachments = async (id: string): Promise<readonly UnknownObject[]> =>
    (await client.messages(id)).filter(({ type }) => type === 'attachment').map(({ attachment }) => attachment);

  it('is the date, the git status and the mentioned files, each once, and every request can be rebuilt', async () => {
    const id = await client.session();
    await client.ask(id, 'git init -q -b main && printf "one\\ntwo\\nthree\\n" > "notes.txt" && git add .', { mode: 'bash' });
    const before = new Date().toISOString().slice(0, 10);
    await client.ask(id, 'Look at @notes.txt#L2-3, ask @somebody, and read @../outside.');
    const after = new Date().toISOString().slice(0, 10);
    const given = await attachments(id);
    expect(given).toEqual([
      { type: 'file', filename: 'notes.txt', lines: 'L2-3', content: '     2\ttwo\n     3\tthree' },
      { type: 'git_status', content: '## No commits yet on main\nA  notes.txt' },
      { type: 'current_date', date: expect.stringMatching(new RegExp(`^(${before}|${after})$`)) },
    ]);
    await client.ask(id, 'And now?');
    expect((await attachments(id)).filter(({ type }) => type !== 'date_change')).toHaveLength(3);
    const { payload } = (await client.get(`/v1/sessions/${id}/payload`)).body;
    expect(JSON.stringify(payload.messages[0])).toMatch(/The user named the file notes\.txt[^]*two[^]*No commits yet on main[^]*Today is \d{4}-\d\d-\d\d\./);
    for (const { requestId } of (await client.get(`/v1/sessions/${id}/requests`)).body.data)
      expect((await client.get(`/v1/sessions/${id}/requests/${requestId}`)).body.verified).toBe(true);
    const shown = await client.messages(id, 'view=transcript');
    expect(JSON.stringify(shown)).not.toMatch(/git_status|current_date/);
  });
});
