import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Client, expectStatus, type UnknownObject } from '../support/client.js';
import { keysOf, textOf } from '../support/encryption.js';
import { describeWith, SHELL } from '../support/needs.js';
import { runs } from '../support/property-runs.js';
import { BUCKET, S3Server, storeAt } from '../support/s3-server.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** What no folder has, each once. */
const HAZARDS = [
  ...['node_modules', '.0123456789abcdef.part', 'n'.repeat(256), 'é'.repeat(128)].map((name) => ({ place: [name], mode: 0o644, bytes: Buffer.from('one') })),
  { place: Array.from({ length: 257 }, () => 'd'), mode: 0o644, bytes: Buffer.from('one') },
  ...['', 'x\0y', '../..', '/etc/passwd', 't'.repeat(4_096)].map((target) => ({ place: ['a'], mode: 0o120777, bytes: Buffer.from(target) })),
  { place: ['a'], mode: 0o120777, bytes: Buffer.from([0xff]) },
  { place: ['a'], mode: 0o644, bytes: Buffer.from('two') },
];

describeWith(SHELL)('the files of a session, encrypted and in object storage', () => {
  let data: string;
  let s3: S3Server;
  let server: TestServer;
  let client: Client;

  beforeAll(async () => {
    data = await mkdtemp(path.join(tmpdir(), 'verbatim-files-'));
    await chmod(data, 0o711); // for the accounts of sessions
    s3 = await S3Server.start();
    server = await startTestServer({
      ...{ DATA_DIR: data, TOOLS: 'Bash,Read,Write', WORKSPACE_HISTORY: 'true', WORKSPACE_FILE_BYTES: '4000000', QUOTA_REFRESH_MS: '1' },
      ...{ ENCRYPTION: 'on', ENCRYPTION_KEYS: textOf(keysOf('one')), BLOB_STORE: storeAt(s3.url), BLOB_REMOVAL_INTERVAL_MS: '20' },
    });
    client = server.client;
  });
  afterAll(async () => {
    await server.stop();
    await s3.stop();
    await rm(data, { recursive: true, force: true });
  });

  const session = (): Promise<string> => client.session({ permissionMode: 'bypassPermissions' });
  const shell = async (id: string, command: string): Promise<string> => {
    expect((await client.ask(id, command, { mode: 'bash' })).status).toBe('completed');
    return /^<bash-stdout>([^]*)<\/bash-stdout>$/.exec((await client.messages(id)).at(-1)!.content)?.[1] ?? 'nothing';
  };
  const request = async (method: string, where: string, body?: string): Promise<Response> => {
    const headers = { authorization: `Bearer ${client.token}`, 'content-type': 'application/x-ndjson' };
    return fetch(`${client.baseUrl}${where}`, { method, headers, ...(body === undefined ? {} : { body }) });
  };
  const exported = async (id: string, query = ''): Promise<string> => (await request('GET', `/v1/sessions/${id}/export${query}`)).text();
  const imported = async (file: string, status = 201): Promise<UnknownObject> => {
    const answer = await request('POST', '/v1/imports', file);
    const body = (await answer.json()) as UnknownObject;
    expect([answer.status, body]).toEqual([status, expect.anything()]);
    return body;
  };
  const files = async (id: string, at = ''): Promise<readonly UnknownObject[]> =>
    expectStatus(await client.get(`/v1/sessions/${id}/files${at && `?at=${at}`}`), 200).body.data;
  const content = async (id: string, name: string, at = ''): Promise<string> =>
    (await request('GET', `/v1/sessions/${id}/files/content?path=${encodeURIComponent(name)}${at && `&at=${at}`}`)).text();
  const prompts = async (id: string): Promise<readonly string[]> =>
    (await client.messages(id)).filter(({ content: text }) => String(text).startsWith('<bash-input>')).map(({ uuid }) => uuid);
  const versions = async (id: string): Promise<readonly UnknownObject[]> =>
    (await client.get(`/v1/sessions/${id}/files/versions`)).body.data.map(({ seq: _, turnId: __, message: ___, ...rest }: UnknownObject) => rest);
  const objects = async (): Promise<readonly string[]> =>
    ((await s3.client.send(new ListObjectsV2Command({ Bucket: BUCKET }))).Contents ?? []).map(({ Key }) => Key!);
  const quotas = async (value: unknown): Promise<void> => {
    expectStatus(await client.call('PATCH', '/v1/settings', { quotas: value }), 200);
  };

  it('are in an export, and after an import those of then at every point, on the disk as well', async () => {
    const id = await session();
    await shell(id, 'mkdir d; printf 1 > d/a; printf old > changed; ln -s d/a link; head -c 2500000 /dev/urandom > large; chmod 755 changed');
    await shell(id, 'printf 2 > d/a; rm link; printf new > changed');
    const [first, second] = await prompts(id);
    const rewound = await client.call('POST', `/v1/sessions/${id}/rewinds`, { before: second, files: true });
    expectStatus(rewound, 201);
    await shell(id, 'printf 3 > d/other; cat d/a');
    const file = await exported(id);
    const copy = await imported(file);
    expect(copy).toMatchObject({ skippedTotal: 0, files: { versions: 3, contents: 7, bytes: expect.any(Number) } });
    expect(await versions(copy.id)).toEqual(await versions(id));
    const points = ['', ...(await versions(id)).map((version) => version.id), first, ...(await prompts(id))];
    for (const at of points) {
      const there = await files(id, at);
      expect(await files(copy.id, at)).toEqual(there);
      for (const one of there) expect(await content(copy.id, one.path, at)).toBe(await content(id, one.path, at));
    }
    expect(await shell(copy.id, 'cat d/a d/other changed link; wc -c < large; stat -c %a changed')).toBe('13old12500000\n755');
    expectStatus(await client.call('POST', `/v1/sessions/${copy.id}/rewinds/${rewound.body.id}/restore`, {}), 201);
    expect(await shell(copy.id, 'cat d/a changed; ls')).toBe('2newchanged\nd\nlarge');
    const [, back] = await prompts(copy.id);
    expectStatus(await client.call('POST', `/v1/sessions/${copy.id}/rewinds`, { before: back, files: true }), 201);
    expect(await shell(copy.id, 'cat d/a changed link')).toBe('1old1');
    const current = await imported(await exported(id, '?branches=current'));
    expect(await files(current.id)).toEqual(await files(id));
    expect((await versions(current.id)).length).toBeLessThan(3);
    expect(file).toContain('"type":"content"');
  });

  it('that were erased stay erased in a copy, where an erasure of a message takes what its steps wrote', async () => {
    const id = await session();
    await shell(id, 'printf secret > private-name; printf old > changed');
    await shell(id, 'printf kept > kept; printf "a secret too" > changed');
    const [, second] = await prompts(id);
    expectStatus(await client.call('DELETE', `/v1/sessions/${id}/messages/${second}`), 202);
    const file = await exported(id);
    expect(file).not.toContain('"kept"');
    const copy = (await imported(file)).id;
    expect((await files(copy)).map((one) => one.path)).toEqual(['private-name']);
    expect((await versions(copy)).map(({ isErased }) => isErased)).toEqual([false, true]);
    expect((await client.get(`/v1/sessions/${copy}/files/content?path=changed`)).body).toMatchObject({ status: 410, code: 'file_erased' });
    const [first] = await prompts(copy);
    expectStatus(await client.call('DELETE', `/v1/sessions/${copy}/messages/${first}`), 202);
    expect(await files(copy)).toEqual([]);
    expect(JSON.stringify(await client.events(copy))).not.toContain('private-name');
    expect((await files(id)).map((one) => one.path)).toEqual(['private-name']);
  });

  it('of a file that was altered are left out and named, and lead nowhere outside', async () => {
    const id = await session();
    await shell(id, 'printf one > a; printf two > b; ln -s a link; printf x > gone');
    const lines = (await exported(id)).trim().split('\n');
    const altered = lines
      .map((line) => JSON.parse(line) as UnknownObject)
      .map((line) => {
        if (line.type === 'content' && Buffer.from(line.data, 'base64').toString() === 'one') return { ...line, data: Buffer.from('two').toString('base64') };
        if (line.type !== 'files') return line;
        const outside = { ...line.files.find((one: UnknownObject) => one.path === 'link'), path: 'x/link' };
        return { ...line, files: [...line.files.map((one: UnknownObject) => (one.path === 'link' ? { ...one, sha256: '0'.repeat(64) } : one)), outside] };
      });
    const copy = await imported(altered.map((line) => JSON.stringify(line)).join('\n'));
    expect(copy.skipped).toEqual([
      { line: expect.any(Number), reason: expect.stringContaining('another hash') },
      { line: expect.any(Number), reason: expect.stringContaining('2 files') },
    ]);
    expect((await files(copy.id)).map((one) => one.path)).toEqual(['b', 'gone', 'x/link']);
    const { skipped } = (await client.get(`/v1/sessions/${copy.id}/files`)).body;
    expect(skipped).toEqual([
      { path: 'a', reason: 'missing' },
      { path: 'link', reason: 'missing' },
    ]);
    const escape = altered.map((line) => (line.type === 'files' ? { ...line, files: [{ ...line.files[0], path: '../escaped' }] } : line));
    expect((await imported(escape.map((line) => JSON.stringify(line)).join('\n'))).skipped).toContainEqual({
      line: expect.any(Number),
      reason: 'is no readable change of files',
    });
  });

  it('of any altered file are kept only where a folder can have them: a look at it finds what the log says', async () => {
    const id = await session();
    await shell(id, 'printf one > a');
    const lines = (await exported(id))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as UnknownObject);
    const at = lines.findIndex(({ type }) => type === 'files');
    const long = 'n'.repeat(255);
    const name = fc.constantFrom(
      ...['a', ' ', '-', '"\n', 'é', 'CLAUDE.md', '.git', 'node_modules', '.0123456789abcdef.part', long, `${long}n`],
      ...['é'.repeat(127), 'é'.repeat(128), '...', '.. '],
    );
    const place = fc.oneof(
      fc.array(name, { minLength: 1, maxLength: 4 }),
      fc.nat(3).map((more) => Array.from({ length: 254 + more }, () => 'd')),
    );
    const target = fc.constantFrom(
      '',
      'x\0y',
      'a',
      '..',
      '../..',
      '../a',
      '/etc/passwd',
      '../1/../../..',
      't'.repeat(4_095),
      't'.repeat(4_096),
      '\u00e9',
      '\xff',
    );
    const entry = fc.oneof(
      fc.record({ place, mode: fc.constantFrom(0o644, 0o755, 0o600), bytes: fc.constantFrom('', 'one', 'two').map((text) => Buffer.from(text)) }),
      fc.record({ place, mode: fc.constant(0o120777), bytes: target.map((text) => Buffer.from(text, text === '\xff' ? 'latin1' : 'utf8')) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { minLength: 10, maxLength: 40 }), async (entries) => {
        const contents = new Map(entries.map(({ bytes }) => [sha256(bytes), bytes]));
        const changed = entries.map(({ place: names, mode, bytes }, index) => ({
          ...{ type: 'blob', path: [index, ...names].join('/'), mode, sha256: sha256(bytes), size: bytes.length },
        }));
        const altered = [
          ...lines.slice(0, at),
          ...[...contents].map(([hash, bytes]) => ({ type: 'content', sha256: hash, size: bytes.length, at: 0, data: bytes.toString('base64') })),
          ...[{ ...lines[at], files: changed }, ...lines.slice(at + 1)],
        ];
        const copy = (await imported(altered.map((line) => JSON.stringify(line)).join('\n'))).id;
        const kept = (await files(copy)).length;
        expect(await shell(copy, 'find . ! -type d -printf x | wc -c')).toBe(String(kept));
        expect((await versions(copy)).length).toBe(1);
      }),
      { ...runs(4), examples: [[HAZARDS]] },
    );
  });

  it('are encrypted objects of the storage, and gone from it with the session', async () => {
    const before = new Set(await objects());
    const id = await session();
    await shell(id, 'printf "a secret of the folder" > private-name');
    const fresh = (await objects()).filter((key) => !before.has(key));
    expect(fresh).toHaveLength(1);
    const stored = await s3.client.send(new GetObjectCommand({ Bucket: BUCKET, Key: fresh[0]! }));
    expect(Buffer.from(await stored.Body!.transformToByteArray()).includes('secret')).toBe(false);
    expect(await content(id, 'private-name')).toBe('a secret of the folder');
    expectStatus(await client.call('DELETE', `/v1/sessions/${id}`), 202);
    await until('the object is gone', async () => !(await objects()).includes(fresh[0]!));
  });

  it('stay within the quota of storage: more is skipped and named, an import that would exceed it is refused, and what is erased makes room', async () => {
    const id = await session();
    await shell(id, 'printf kept > kept; head -c 800000 /dev/urandom > half');
    const file = await exported(id);
    const used = async (): Promise<number> => (await client.get('/v1/quotas')).body.data.find((one: UnknownObject) => one.quota === 'storageBytes').used;
    await quotas({ user: { storageBytes: 1_000_000_000 } });
    const limit = (await used()) + 1_000_000;
    await quotas({ user: { storageBytes: limit } });
    try {
      for (let round = 0; round < 5; round += 1) await shell(id, `head -c 900000 /dev/urandom > large; printf ${round} >> kept`);
      expect(await used()).toBeLessThanOrEqual(limit);
      expect(await used()).toBeGreaterThan(limit - 200_000);
      const over = (await client.get(`/v1/sessions/${id}/files`)).body;
      expect(over.data.map((one: UnknownObject) => one.path)).toEqual(['half', 'kept']);
      expect(over.skipped).toEqual([{ path: 'large', reason: 'quota' }]);
      expect(await shell(id, 'wc -c < large')).toBe('900000');
      expect((await versions(id)).length).toBe(6);
      // What is not recorded is not lost when the folder becomes another version.
      const [, second] = await prompts(id);
      expectStatus(await client.call('POST', `/v1/sessions/${id}/rewinds`, { before: second, files: true }), 201);
      expect(await shell(id, 'cat kept; ls')).toBe('kepthalf\nkept\nlarge');
      expect(await imported(file, 429)).toMatchObject({ code: 'quota_exceeded', quota: 'storageBytes', limit });
      const lists = (await client.get('/v1/sessions?limit=200')).body.data.length;
      await quotas({ user: { storageBytes: limit + 5_000_000 } });
      expect(await shell(id, 'printf done >> kept; cat kept')).toBe('keptdone');
      expect((await files(id)).map((one) => one.path)).toEqual(['half', 'kept', 'large']);
      await imported(file);
      expect((await client.get('/v1/sessions?limit=200')).body.data).toHaveLength(lists + 1);
    } finally {
      await quotas({});
    }
  });
});
