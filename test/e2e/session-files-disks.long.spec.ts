import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { paginate } from '../../clients/typescript/src/index.js';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { describeWith, LINUX, ROOT } from '../support/needs.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { SmallDisk } from '../support/small-disk.js';
import { call, resultsIn } from '../support/tool-server.js';

/** Reads of the test of two workers. */
const READS = Number(process.env['FILE_READS'] ?? 60);
const READS_A_TURN = 10;

describeWith(ROOT, LINUX)("files of a session on two workers' own disks", () => {
  let data: string;
  let disk: SmallDisk | null;
  let server: TestServer;
  let other: TestServer;
  let client: Client;
  let there: Client;

  beforeAll(async () => {
    data = await mkdtemp(path.join(tmpdir(), 'verbatim-disks-'));
    await chmod(data, 0o711); // for the accounts of sessions
    disk = await SmallDisk.mount(path.join(data, 'small'));
    const hook = { type: 'command', command: 'case "$(cat)" in *"asks the hook"*) echo ran >> by-hook;; esac' };
    await writeFile(path.join(data, 'hooks.json'), JSON.stringify({ hooks: { PreToolUse: [{ hooks: [hook] }] } }));
    const settings = (name: string): Record<string, string> => ({
      DATA_DIR: path.join(data, name),
      WORKSPACES_DIR: path.join(data, name, 'workspaces'),
      TOOLS: 'Bash,Read,Write',
      WORKSPACE_HISTORY: 'true',
    });
    server = await startTestServer({ ...settings('large'), HOOKS_FILE: path.join(data, 'hooks.json') });
    other = await startTestServer({ ...settings('other'), WORKSPACES_DIR: path.join(data, 'small', 'workspaces') }, server.database, server.client.token);
    [client, there] = [server.client, other.client];
  });
  afterAll(async () => {
    await other.stop();
    await server.stop();
    await disk?.unmount();
    await rm(data, { recursive: true, force: true });
  });

  const session = (): Promise<string> => client.session({ permissionMode: 'bypassPermissions' });
  const shell = (id: string, command: string, by: Client = client): Promise<UnknownObject> => by.ask(id, command, { mode: 'bash' });
  const results = async (id: string): Promise<readonly UnknownObject[]> => {
    const messages: UnknownObject[] = [];
    for await (const message of paginate(client.api.listMessages, { id, view: 'full', limit: 200 })) messages.push(message);
    return resultsIn(messages);
  };
  const changes = async (id: string): Promise<readonly UnknownObject[]> => (await client.events(id)).filter(({ type }) => type === 'workspace.changed');
  const instructions = async (id: string): Promise<readonly string[]> =>
    (await client.messages(id)).flatMap(({ attachment }) => (attachment?.source === 'workspace' ? [attachment.content] : []));
  const last = async (id: string): Promise<string> => (await client.messages(id)).at(-1)!.content;
  const files = async (id: string): Promise<UnknownObject> => expectStatus(await client.get(`/v1/sessions/${id}/files`), 200).body.data;

  it('every read by either finds what the other has written last', async () => {
    const id = await session();
    for (let reads = 0; reads < READS; reads += READS_A_TURN) {
      const [writer, reader] = (reads / READS_A_TURN) % 2 === 0 ? [client, there] : [there, client];
      expect((await shell(id, `mkdir -p kept; printf 'text ${reads}' > kept/own; printf x > kept/by-${reads}`, writer)).status).toBe('completed');
      const before = (await results(id)).length;
      expect((await reader.ask(id, call('Read', { file_path: 'kept/own' }).repeat(READS_A_TURN))).status).toBe('completed');
      const found = (await results(id)).slice(before);
      expect(found.filter(({ content }) => String(content).includes(`text ${reads}`))).toHaveLength(READS_A_TURN);
    }
    const names = (await files(id)).map((file: UnknownObject) => file.path);
    expect(names).toHaveLength(1 + Math.ceil(READS / READS_A_TURN));
  });

  it('the instructions in a folder are told by either, also in a turn without tools, and go with a rewind', async () => {
    const id = await session();
    await shell(id, 'printf "Use tabs." > CLAUDE.md');
    await there.ask(id, 'hello');
    expect(await instructions(id)).toEqual(['Use tabs.']);
    await shell(id, 'printf "Use blanks." > CLAUDE.md', there);
    await client.ask(id, 'hello');
    expect(await instructions(id)).toEqual(['Use tabs.', 'Use blanks.']);
    const { uuid: second } = (await client.messages(id)).find(({ content: text }) => String(text).includes('Use blanks.'))!;
    expectStatus(await client.call('POST', `/v1/sessions/${id}/rewinds`, { before: second, files: true }), 201);
    await there.ask(id, 'hello');
    expect(await instructions(id)).toEqual(['Use tabs.']);
  });

  it('what a hook writes before a call is recorded, although the call changes nothing', async () => {
    const id = await session();
    await shell(id, 'printf x > own');
    await client.ask(id, call('Read', { file_path: 'asks the hook' }));
    expect((await files(id)).map((file: UnknownObject) => file.path)).toEqual(['by-hook', 'own']);
    await shell(id, 'cat by-hook', there);
    expect(await last(id)).toBe('<bash-stdout>ran</bash-stdout>');
  });

  it('what is not recorded and stays on one disk makes no version on either', async () => {
    const id = await session();
    await shell(id, 'printf x > own; mkfifo pipe');
    await shell(id, 'cat own', there);
    await shell(id, 'cat own');
    await shell(id, 'cat own', there);
    expect((await changes(id)).map(({ data }) => data.skipped)).toEqual([[{ path: 'pipe', reason: 'special' }]]);
    await shell(id, 'rm pipe');
    expect((await changes(id)).at(-1)!.data).toMatchObject({ files: [], deleted: [], skipped: [] });
  });

  it('a disk that is full while a folder is made loses nothing: the call says so, and the next one has the files', async () => {
    if (!disk) return void process.stderr.write('SKIPPED: a full disk: this process may not mount\n');
    const id = await session();
    await shell(id, 'for n in 1 2 3 4 5 6 7 8; do head -c 200000 /dev/zero | tr "\\0" $n > file-$n; done');
    const recorded = await files(id);
    const versions = (await client.get(`/v1/sessions/${id}/files/versions`)).body.data;
    expect(recorded).toHaveLength(8);
    await disk.fill(700_000);
    try {
      await shell(id, 'cat file-8 | wc -c; printf x > added', there);
      expect(await last(id)).toMatch(/ENOSPC|no space/i);
      await there.ask(id, call('Read', { file_path: 'file-8' }));
      expect(resultsIn(await client.messages(id)).at(-1)).toMatchObject({ is_error: true, content: expect.stringMatching(/ENOSPC|no space/i) });
      expect(await files(id)).toEqual(recorded);
      expect((await client.get(`/v1/sessions/${id}/files/versions`)).body.data).toEqual(versions);
    } finally {
      await disk.empty();
    }
    await shell(id, 'cat file-* | wc -c; ls -A | wc -l', there);
    expect(await last(id)).toBe('<bash-stdout>1600000\n8</bash-stdout>');
    expect(await files(id)).toEqual(recorded);
    expect(await readdir(path.join(data, 'small'))).toEqual(['workspaces']);
  });
});
