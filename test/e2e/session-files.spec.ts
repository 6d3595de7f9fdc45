import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { chmod, chown, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { describeWith, SHELL } from '../support/needs.js';
import { startTestServer, type TestServer } from '../support/server.js';

describeWith(SHELL)("the files of a session's folder", () => {
  const folders: string[] = [];
  let server: TestServer;
  let other: TestServer;
  let client: Client;
  let there: Client;

  /** A server with a disk of its own. */
  const start = async (beside?: TestServer): Promise<TestServer> => {
    const data = await mkdtemp(path.join(tmpdir(), 'verbatim-files-'));
    folders.push(data);
    await chmod(data, 0o711); // for the accounts of sessions
    const environment = {
      DATA_DIR: data,
      TOOLS: 'Bash,Read,Write,Edit',
      WORKSPACE_HISTORY: 'true',
      WORKSPACE_FILE_BYTES: '1000',
      WORKSPACE_IGNORE: 'node_modules,made/here',
    };
    return beside ? startTestServer(environment, beside.database, beside.client.token) : startTestServer(environment);
  };

  beforeAll(async () => {
    server = await start();
    other = await start(server);
    [client, there] = [server.client, other.client];
  });
  afterAll(async () => {
    await other.stop();
    await server.stop();
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
  });

  const session = (): Promise<string> => client.session({ permissionMode: 'bypassPermissions' });
  const shell = async (id: string, command: string, by: Client = client): Promise<UnknownObject> => {
    const turn = await by.ask(id, command, { mode: 'bash' });
    expect(turn.status).toBe('completed');
    return turn;
  };
  const said = async (id: string): Promise<string> =>
    /^<bash-stdout>([^]*)<\/bash-stdout>$/.exec((await client.messages(id)).at(-1)!.content)?.[1] ?? 'nothing';
  const changes = async (id: string): Promise<readonly UnknownObject[]> => (await client.events(id)).filter(({ type }) => type === 'workspace.changed');
  const files = async (id: string, query = ''): Promise<UnknownObject> => {
    const answer = await client.get(`/v1/sessions/${id}/files${query}`);
    expectStatus(answer, 200);
    return answer.body;
  };
  const paths = async (id: string, query = ''): Promise<readonly string[]> => (await files(id, query)).data.map((file: UnknownObject) => file.path);
  const content = async (id: string, file: string, at = ''): Promise<string> => {
    const response = await fetch(`${client.baseUrl}/v1/sessions/${id}/files/content?path=${encodeURIComponent(file)}${at && `&at=${at}`}`, {
      headers: { authorization: `Bearer ${client.token}` },
    });
    expect(response.status).toBe(200);
    return response.text();
  };
  const diff = async (id: string, query: string): Promise<UnknownObject> => {
    const answer = await client.get(`/v1/sessions/${id}/files/diff?${query}`);
    expectStatus(answer, 200);
    return answer.body;
  };
  const prompts = async (id: string): Promise<readonly string[]> =>
    (await client.messages(id)).filter(({ content: text }) => String(text).startsWith('<bash-input>')).map(({ uuid }) => uuid);
  /** Where a server has the folder. */
  const folderOf = async (index: number, id: string): Promise<string> => {
    const workspaces = path.join(folders[index]!, 'workspaces');
    for (const tenant of await readdir(workspaces)) {
      const place = path.join(workspaces, tenant, id, 'files');
      if ((await readdir(path.join(workspaces, tenant))).includes(id)) return place;
    }
    throw new Error('the server has no folder of this session');
  };

  it('are recorded by the step that changed them, once, and read at any point', async () => {
    const id = await session();
    const turn = await shell(id, 'mkdir -p src && printf "one\\ntwo\\n" > src/a.txt && printf x > b.txt && chmod 755 b.txt');
    const [first] = await changes(id);
    expect(first!.data).toMatchObject({ base: null, cause: 'step', deleted: [], skipped: [] });
    expect(first!.data.files.map(({ path: name, mode, size }: UnknownObject) => [name, mode & 0o100, size])).toEqual([
      ['b.txt', 0o100, 1],
      ['src/a.txt', 0, 8],
    ]);
    await shell(id, 'cat src/a.txt');
    await client.ask(id, 'no tool');
    expect(await changes(id)).toHaveLength(1);
    await shell(id, 'printf "one\\n2\\n" > src/a.txt; rm b.txt; ln -s src/a.txt link');
    expect(await paths(id)).toEqual(['link', 'src/a.txt']);
    expect(await content(id, 'link')).toBe('src/a.txt');
    expect(await content(id, 'src/a.txt')).toBe('one\n2\n');
    expect(await content(id, 'src/a.txt', first!.data.version)).toBe('one\ntwo\n');
    expect(await paths(id, `?at=${(await prompts(id))[0]}`)).toEqual(['b.txt', 'src/a.txt']);
    const changed = await diff(id, '');
    expect(changed.from).toBe(first!.data.version);
    expect(changed.data.map(({ path: name, change }: UnknownObject) => [name, change])).toEqual([
      ['b.txt', 'deleted'],
      ['link', 'added'],
      ['src/a.txt', 'changed'],
    ]);
    expect(changed.data[2].patch).toContain('-two\n+2\n');
    expect((await diff(id, `turn=${turn.id ?? turn.turnId}`)).data.map((one: UnknownObject) => one.path)).toEqual(['b.txt', 'src/a.txt']);
    const versions = (await client.get(`/v1/sessions/${id}/files/versions`)).body.data;
    expect(versions.map(({ changed: count, deleted, isCurrent }: UnknownObject) => [count, deleted, isCurrent])).toEqual([
      [2, 0, false],
      [2, 1, true],
    ]);
    expectStatus(await client.get(`/v1/sessions/${id}/files/content?path=none`), 404);
    expectStatus(await client.get(`/v1/sessions/${id}/files?at=${id}`), 404);
  });

  it('go back with a rewind that asks for it, and forward with its restore', async () => {
    const id = await session();
    await shell(id, 'printf 1 > a; printf 1 > kept');
    await shell(id, 'printf 2 > a; rm kept; mkdir d; printf 2 > d/new');
    const [, second] = await prompts(id);
    const rewound = await client.call('POST', `/v1/sessions/${id}/rewinds`, { before: second, files: true });
    expectStatus(rewound, 201);
    expect(await paths(id)).toEqual(['a', 'kept']);
    await shell(id, 'cat a kept; ls');
    expect(await said(id)).toBe('11a\nkept');
    const before = await changes(id);
    expectStatus(await client.call('POST', `/v1/sessions/${id}/rewinds/${rewound.body.id}/restore`, {}), 201);
    await shell(id, 'cat a d/new; ls');
    expect(await said(id)).toBe('22a\nd');
    expect(await changes(id)).toEqual(before);
    expectStatus(await client.call('POST', `/v1/sessions/${id}/rewinds`, { before: second }), 201);
    await shell(id, 'cat a');
    expect(await said(id)).toBe('2');
  });

  it('go back alone with a rewind of files only, which is idempotent, checks the version, and is restored alone', async () => {
    const id = await session();
    await shell(id, 'printf 1 > a');
    await shell(id, 'printf 2 > a; printf 2 > b');
    const [, second] = await prompts(id);
    const [before, { version }] = [await client.messages(id), expectStatus(await client.get(`/v1/sessions/${id}`), 200).body];
    const rewind = (body: object, headers: Record<string, string> = {}) => client.call('POST', `/v1/sessions/${id}/rewinds`, body, headers);
    const neither = await rewind({ before: second, messages: false });
    expect(neither.body).toMatchObject({ status: 400, code: 'invalid_input', errors: [{ pointer: '/messages' }] });
    const only = { before: second, files: true, messages: false };
    expectStatus(await rewind(only, { 'if-match': `"${version - 1}"` }), 412);
    const key = { 'idempotency-key': crypto.randomUUID(), 'if-match': `"${version}"` };
    const rewound = expectStatus(await rewind(only, key), 201).body;
    expect(expectStatus(await rewind(only, key), 201).body).toEqual(rewound);
    const [first, changed] = (await changes(id)).map(({ data }) => data.version);
    expect(rewound).toMatchObject({ version: version + 1, head: before.at(-1)!.uuid, removed: [], files: { from: changed, to: first } });
    expect(rewound.prompt).toBeUndefined();
    expect(await client.messages(id)).toEqual(before);
    expect((await client.get(`/v1/sessions/${id}/branches`)).body.data).toHaveLength(1);
    expect(await paths(id)).toEqual(['a']);
    await shell(id, 'cat a; ls');
    expect(await said(id)).toBe('1a');
    const later = await client.messages(id);
    expectStatus(await client.call('POST', `/v1/sessions/${id}/rewinds/${rewound.id}/restore`, {}), 201);
    expect(await client.messages(id)).toEqual(later);
    expect((await client.get(`/v1/sessions/${id}/rewinds`)).body.data).toMatchObject([
      { id: rewound.id, files: rewound.files, restoredAt: expect.any(String) },
    ]);
    await shell(id, 'cat a b');
    expect(await said(id)).toBe('22');
    const exported = await fetch(`${client.baseUrl}/v1/sessions/${id}/export`, { headers: { authorization: `Bearer ${client.token}` } });
    expect(exported.status).toBe(200);
    const moves = (await exported.text()).split('\n').filter((line) => /^{"type":"(?:rewind|restore)"/.test(line));
    expect(moves.map((line) => Object.keys(JSON.parse(line).files))).toEqual([
      ['from', 'to'],
      ['from', 'to'],
    ]);
  });

  it('come back with the branch that a rewind of both has left, and stay with one that a rewind of words has left', async () => {
    const id = await session();
    await shell(id, 'printf 1 > a');
    await shell(id, 'printf 2 > a');
    const [, second] = await prompts(id);
    const tip = (await client.messages(id)).at(-1)!.uuid;
    const branch = async (): Promise<UnknownObject> =>
      (await client.get(`/v1/sessions/${id}/branches`)).body.data.find((one: UnknownObject) => one.tip === tip);
    const restore = (of: string) => client.call('POST', `/v1/sessions/${id}/branches/${of}/restore`, {});
    expectStatus(await client.call('POST', `/v1/sessions/${id}/rewinds`, { before: second, files: true }), 201);
    await shell(id, 'printf 3 > b');
    const other = (await client.messages(id)).at(-1)!.uuid;
    expect((await branch()).left).toMatchObject({ cause: 'rewind', files: true });
    expectStatus(await restore(tip), 201);
    expect([await paths(id), await content(id, 'a')]).toEqual([['a'], '2']);
    expectStatus(await restore(other), 201);
    expect([await paths(id), await content(id, 'a')]).toEqual([['a', 'b'], '1']);
    expectStatus(await restore(tip), 201);
    expectStatus(await client.call('POST', `/v1/sessions/${id}/rewinds`, { before: second }), 201);
    expect((await branch()).left).toMatchObject({ cause: 'rewind', files: false });
    await shell(id, 'printf 4 > a');
    expectStatus(await restore(tip), 201);
    expect(await content(id, 'a')).toBe('4');
  });

  it('that something else put there before a turn are no change by the turn, and stay when it is taken back', async () => {
    const id = await session();
    await shell(id, 'printf 1 > a');
    const here = await folderOf(0, id);
    await writeFile(path.join(here, 'data.csv'), 'one,two');
    const { uid, gid } = await stat(here);
    await chown(path.join(here, 'data.csv'), uid, gid); // those of another account are not recorded
    const turn = await shell(id, 'cat data.csv; printf 2 > a');
    expect(await said(id)).toBe('one,two');
    const [, prompt] = await prompts(id);
    expect((await diff(id, `turn=${turn.id ?? turn.turnId}`)).data.map((one: UnknownObject) => one.path)).toEqual(['a']);
    expectStatus(await client.call('POST', `/v1/sessions/${id}/rewinds`, { before: prompt, files: true }), 201);
    expect([await paths(id), await content(id, 'a')]).toEqual([['a', 'data.csv'], '1']);
    await shell(id, 'cat data.csv a');
    expect(await said(id)).toBe('one,two1');
  });

  it('go with a fork, up to its message, and are apart from then on', async () => {
    const id = await session();
    await shell(id, 'printf 1 > a');
    const at = (await client.messages(id)).at(-1)!.uuid;
    await shell(id, 'printf 2 > a');
    const fork = (await client.call('POST', `/v1/sessions/${id}/forks`, { at })).body.id;
    await shell(fork, 'cat a; printf 3 > b');
    expect(await paths(fork)).toEqual(['a', 'b']);
    expect(await content(fork, 'a')).toBe('1');
    expect(await paths(id)).toEqual(['a']);
    expect(await content(id, 'a')).toBe('2');
  });

  it('are on every worker, whatever is on its disk', async () => {
    const id = await session();
    for (let round = 0; round < 6; round += 1) {
      await shell(id, `cat all 2>/dev/null | tr -d '\\n'; printf '${round}\\n' >> all`, round % 2 === 0 ? client : there);
      expect((await said(id)).replace('(no output)', '')).toBe([...Array(round).keys()].join(''));
    }
    await rm(path.dirname(await folderOf(0, id)), { recursive: true, force: true });
    await shell(id, 'cat all');
    expect((await said(id)).split('\n')).toEqual(['0', '1', '2', '3', '4', '5']);
    expect((await changes(id)).every(({ data }) => data.cause === 'step')).toBe(true);
  });

  it('that something else has changed are recorded before a folder is made another version', async () => {
    const id = await session();
    await shell(id, 'printf 1 > a; printf 1 > b');
    const here = await folderOf(0, id);
    await writeFile(path.join(here, 'a'), 'mine');
    await shell(id, 'cat a');
    expect(await said(id)).toBe('mine');
    expect((await changes(id)).at(-1)!.data).toMatchObject({ cause: 'outside', files: [{ path: 'a', size: 4 }] });
    await shell(id, 'printf 2 > b', there);
    await writeFile(path.join(here, 'b'), 'lost?');
    await shell(id, 'cat b');
    expect(await said(id)).toBe('2');
    const stray = (await changes(id)).at(-1)!.data;
    expect(stray).toMatchObject({ cause: 'outside', files: [{ path: 'b', size: 5 }] });
    expect(await content(id, 'b', stray.version)).toBe('lost?');
    expect(await content(id, 'b')).toBe('2');
  });

  it('that cannot be recorded are named and stay where they are', async () => {
    const id = await session();
    await shell(
      id,
      [
        "printf ok > 'a new\nline'; ln -s /etc/passwd out; ln -s ../../.. up; mkfifo pipe; truncate -s 500M sparse; mkdir -p node_modules/x made/here d",
        'printf 1 > node_modules/x/y; printf 1 > made/here/z; printf 1 > "$(printf \'bad\\377\')"; printf 1 > d/Case; printf 2 > d/case',
      ].join('; '),
    );
    const { data, skipped } = await files(id);
    expect(data.map((file: UnknownObject) => file.path)).toEqual(['a new\nline', 'd/Case', 'd/case']);
    expect(skipped.map(({ path: name, reason }: UnknownObject) => [name, reason]).toSorted()).toEqual([
      ['bad\uFFFD', 'name'],
      ['out', 'link_outside'],
      ['pipe', 'special'],
      ['sparse', 'too_large'],
      ['up', 'link_outside'],
    ]);
    await shell(id, "cat 'a new\nline'; ls -A", there);
    expect(await said(id)).toBe('oka new\nline\nd');
    await shell(id, "printf more >> 'a new\nline'", there);
    await shell(id, "cat 'a new\nline'; ls -A | grep -c .; rm -rf -- *", client);
    expect(await said(id)).toBe('okmore10');
  });

  it('that are in the way of recorded ones get another name', async () => {
    const id = await session();
    await shell(id, 'printf 1 > a; mkdir b; printf 1 > b/c');
    await shell(id, 'rm a; mkfifo a; rm -r b; ln -s /etc b');
    const [, second] = await prompts(id);
    expectStatus(await client.call('POST', `/v1/sessions/${id}/rewinds`, { before: second, files: true }), 201);
    await shell(id, 'cat a b/c; ls | sed s/-.*/-/');
    expect(await said(id)).toBe('11a\na.unrecorded-\nb\nb.unrecorded-');
  });

  it('of tools of the model are recorded with the call', async () => {
    const id = await session();
    const write = (name: string, text: string): string => `{{tool Write ${JSON.stringify({ file_path: name, content: text })}}}`;
    await client.ask(id, write('one', '1') + write('two', '2'));
    const found = await changes(id);
    expect(found.flatMap(({ data }) => data.files.map((file: UnknownObject) => file.path)).toSorted()).toEqual(['one', 'two']);
    expect(found.every(({ data }) => typeof data.toolUseId === 'string')).toBe(true);
    await client.ask(id, `{{tool Read ${JSON.stringify({ file_path: 'one' })}}}`);
    expect(await changes(id)).toHaveLength(found.length);
  });

  it('that steps of an erased message wrote are gone: from the log, from every point, from the disks, and from forks', async () => {
    const id = await session();
    const write = (name: string, text: string): string => `{{tool Write ${JSON.stringify({ file_path: name, content: text })}}}`;
    await shell(id, 'printf kept > kept; printf old > changed');
    await client.ask(id, write('private-name', 'a secret') + `{{tool Bash ${JSON.stringify({ command: 'printf "a secret too" > changed' })}}}`);
    const answer = (await client.messages(id)).find((message) => message.type === 'assistant' && JSON.stringify(message).includes('private-name'))!;
    await shell(id, 'printf later > later; cat private-name', there);
    expect(await said(id)).toBe('a secret');
    const changed = (await changes(id)).map(({ data }) => data);
    const [first, last] = [changed[0], changed.at(-1)];
    const written = changed.length - 2; // both calls of the answer may be in one version
    expect(await paths(id)).toEqual(['changed', 'kept', 'later', 'private-name']);
    const fork = expectStatus(await client.post(`/v1/sessions/${id}/forks`), 201).body.id;
    const hashes = (await files(id)).data.filter(({ path: name }: UnknownObject) => /^(private|changed)/.test(name)).map(({ sha256 }: UnknownObject) => sha256);
    expect(hashes).toHaveLength(2);

    expectStatus(await client.call('DELETE', `/v1/sessions/${id}/messages/${answer.uuid}?includeForks=true`), 202);
    const log = JSON.stringify([await client.events(id), await client.events(fork)]);
    const versions = (await client.get(`/v1/sessions/${id}/files/versions`)).body.data as readonly UnknownObject[];
    expect(versions.filter(({ isErased }) => isErased)).toHaveLength(written);
    expect(log.match(/"path":"private-name"/g)).toBeNull();
    for (const [one, points] of [
      [id, ['', last!.version]],
      [fork, ['']],
    ] as const) {
      for (const sha256 of hashes) expectStatus(await client.get(`/v1/sessions/${one}/blobs/${sha256}`), 404);
      for (const at of points) {
        expect(await paths(one, at && `?at=${at}`)).toEqual(['kept', 'later']);
        for (const name of ['private-name', 'changed'])
          expect((await client.get(`/v1/sessions/${one}/files/content?path=${name}${at && `&at=${at}`}`)).body).toMatchObject({
            status: 410,
            code: 'file_erased',
          });
      }
    }
    expect(await content(id, 'changed', first!.version)).toBe('old');
    expect((await readdir(await folderOf(0, id))).toSorted()).not.toContain('private-name');
    // The other disk still has them, and does not bring them back.
    expect(await readdir(await folderOf(1, id))).toContain('private-name');
    const before = (await changes(id)).length;
    for (const [one, by] of [
      [id, there],
      [id, client],
      [fork, there],
    ] as const) {
      await shell(one, 'ls', by);
      expect(await said(one)).toBe('kept\nlater');
    }
    expect(await changes(id)).toHaveLength(before);
    const [start] = await prompts(id);
    expectStatus(await client.call('POST', `/v1/sessions/${id}/rewinds`, { after: start, files: true }), 201);
    await shell(id, 'cat changed', there);
    expect(await said(id)).toBe('old');
  });

  it('are exported with the log, and erased with the session', async () => {
    const id = await session();
    await shell(id, 'printf "a secret" > private-name');
    const exported = await fetch(`${client.baseUrl}/v1/sessions/${id}/export?format=log`, { headers: { authorization: `Bearer ${client.token}` } });
    const lines = (await exported.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as UnknownObject);
    expect(lines.filter(({ type }) => type === 'file').map((line) => Buffer.from(line.content, 'base64').toString())).toEqual(['a secret']);
    const sha256 = lines.find(({ type }) => type === 'file')!.sha256;
    expectStatus(await client.get(`/v1/sessions/${id}/blobs/${sha256}`), 200);
    expectStatus(await client.call('DELETE', `/v1/sessions/${id}`), 202);
    expect(JSON.stringify(await client.events(id))).not.toContain('private-name');
    expectStatus(await client.get(`/v1/sessions/${id}/blobs/${sha256}`), 404);
    await expect(folderOf(0, id).then((place) => readFile(path.join(place, 'private-name')))).rejects.toThrow();
  });
});
