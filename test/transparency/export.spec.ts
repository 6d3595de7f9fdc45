import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { fileURLToPath } from 'node:url';
import type { Client } from '../support/client.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';
import { NodeCryptography } from '../../src/platform/system/node-cryptography.js';
import { type Verdict, verifyLog } from '../../packages/proofs/verification/verify-log.js';

const VERBATIM = fileURLToPath(new URL('../../../bin/verbatim', import.meta.url));

let server: TestServer;
let client: Client;
let key: string;
let lines: readonly string[];
let id: string;

beforeAll(async () => {
  server = await startTestServer({ TLOG_INTERVAL_MS: '10', TLOG_ORIGIN: 'log.example.com' });
  client = server.client;
  id = await client.session({ title: 'a title', metadata: { a: '\u0000' } });
  await client.ask(id, 'hello 🧵');
  await until('every event is in the transparency log', async () => {
    const { body } = await client.get(`/v1/sessions/${id}/audit`);
    return body.transparencyLog?.events === body.events;
  });
  key = (await client.get('/v1/log/key')).body.trim();
  lines = await exported();
});
afterAll(() => server.stop());

const exported = async (): Promise<readonly string[]> =>
  String((await client.get(`/v1/sessions/${id}/export?format=log`)).body)
    .trimEnd()
    .split('\n');

const verdict = (of: readonly string[], by = key): Promise<Verdict> => verifyLog(of, by, new NodeCryptography());

/** Without the key, which is always the given one. */
async function verdictOf(of: readonly string[]): Promise<Omit<Verdict, 'key'>> {
  const { isProven, text } = await verdict(of);
  return { isProven, text };
}

const changed = (at: number, change: (line: Record<string, unknown>) => object): readonly string[] =>
  lines.map((line, index) => (index === at ? JSON.stringify(change(JSON.parse(line) as Record<string, unknown>)) : line));

describe('an export of the log', () => {
  it('is proven by the key alone', async () => {
    const events = lines.length - 2;
    expect(events).toBeGreaterThan(5);
    const { isProven, text } = await verdict(lines);
    const checkpoint = /\d+ leaves/.exec(text)?.[0];
    expect({ isProven, text }).toEqual({
      isProven: true,
      text: `${events} of ${events} events are unchanged since the checkpoint of ${checkpoint} of log.example.com was signed. 1 requests are as they were sent.`,
    });
  });

  it('is not proven by its own key when that is none', async () => {
    const last = lines.length - 1;
    const forged = changed(last, ({ proof, ...line }) => ({ ...line, proof: { ...(proof as object), key: 'no key' } }));
    expect(await verifyLog(forged, null, new NodeCryptography())).toMatchObject({
      isProven: false,
      text: `Line ${last + 1}: its key is not the public key of a transparency log.`,
    });
  });

  it('names the first line of a file that was changed', async () => {
    const member: Readonly<Record<string, (line: Record<string, unknown>) => object>> = {
      data: (line) => ({ ...line, data: `${String(line['data'])} ` }),
      salt: (line) => ({ ...line, salt: '00'.repeat(16) }),
      digest: (line) => ({ ...line, digest: '00'.repeat(32) }),
      hash: (line) => ({ ...line, hash: '00'.repeat(32) }),
      actor: (line) => ({ ...line, actor: '{"kind":"user","id":"another"}' }),
      time: (line) => ({ ...line, recordedMicroseconds: '1' }),
      type: (line) => ({ ...line, eventType: 'x' }),
      id: (line) => ({ ...line, eventId: '00000000-0000-0000-0000-000000000000' }),
      seq: (line) => ({ ...line, seq: 77 }),
      extra: (line) => ({ ...line, more: true }),
    };
    for (const at of [1, 3, lines.length - 2]) {
      for (const [name, change] of Object.entries(member)) {
        const { isProven, text } = await verdict(changed(at, change));
        expect([name, isProven, text]).toEqual([name, false, expect.stringMatching(new RegExp(`^Line ${at + 1}: `))]);
      }
    }
  });

  it('names the place where lines were left out, doubled or swapped, and the end of a truncated file', async () => {
    const without = (at: number) => lines.filter((_, index) => index !== at);
    const swapped = [...lines.slice(0, 2), lines[3]!, lines[2]!, ...lines.slice(4)];
    const doubled = [...lines.slice(0, 3), lines[2]!, ...lines.slice(3)];
    const cut = [...lines.slice(0, 4), lines[4]!.slice(0, 30)];
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [without(0), /^Line 1: The first line/],
      [without(2), /^Line 3: event 3 is not/],
      [without(lines.length - 2), new RegExp(`^Line ${lines.length - 1}: This must be event`)],
      [swapped, /^Line 3: event 3/],
      [doubled, /^Line 4: event 2/],
      [cut, /^Line 5: this is not JSON/],
      [lines.slice(0, 4), /^Line 5: the file ends here, after 3 of \d+ events/],
      [lines.slice(0, -1), new RegExp(`^Line ${lines.length}: the file ends here`)],
      [[], /^Line 1: the file ends here, after 0 of an unknown number/],
      [[...lines, lines.at(-1)!], new RegExp(`^Line ${lines.length + 1}: nothing may follow`)],
    ];
    for (const [given, text] of cases) expect(await verdictOf(given)).toEqual({ isProven: false, text: expect.stringMatching(text) });
  });

  it('does not pass with fewer events, another proof, or another key', async () => {
    const last = lines.length - 1;
    const proofWith = (change: object) => changed(last, (line) => ({ ...line, proof: { ...(line['proof'] as object), ...change } }));
    const other = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
    const shorter = changed(0, (line) => ({ ...line, events: lines.length - 3 })).filter((_, index) => index !== last - 1);
    const given = [
      shorter,
      proofWith({ leafIndex: 0 }),
      proofWith({ hashes: [] }),
      proofWith({ checkpoint: 'log.example.com\n1\n\n' }),
      proofWith({ key: other, seq: 1 }),
    ];
    for (const file of given) expect((await verdict(file)).isProven).toBe(false);
    expect(await verdict(lines, other)).toEqual({
      isProven: false,
      key: other,
      text: `Line ${lines.length}: the checkpoint was not signed with the given key.`,
    });
    await expect(verdict(lines, 'not a key')).rejects.toThrow('not the public key');
  });

  it('is verified by a command that has no setting, no database and no network', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'verbatim-export-'));
    const file = path.join(folder, 'export.jsonl');
    const run = (...words: readonly string[]) =>
      new Promise<readonly [number | undefined, string]>((resolve) => {
        const child = execFile(process.execPath, [VERBATIM, 'verify', ...words], { env: {} }, (_, stdout, stderr) =>
          resolve([child.exitCode ?? undefined, stdout + stderr]),
        );
      });
    try {
      await writeFile(file, `${lines.join('\n')}\n`);
      expect(await run(file, '--key', key)).toEqual([0, expect.stringContaining('are unchanged since the checkpoint')]);
      await writeFile(path.join(folder, 'key'), `${key}\n`);
      expect(await run(file, '--key', path.join(folder, 'key'))).toEqual([0, expect.stringContaining('are unchanged')]);
      await writeFile(file, lines.slice(0, 3).join('\n'));
      expect(await run(file, '--key', key)).toEqual([1, expect.stringContaining('Line 4: the file ends here')]);
      expect(await run(file)).toEqual([2, expect.stringContaining('Usage')]);
      expect(await run(path.join(folder, 'none'), '--key', key)).toEqual([2, expect.stringContaining('ENOENT')]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('is proven after an erasure, and says what was erased; a row that was only emptied is not', async () => {
    const erasedId = await client.session();
    await client.ask(erasedId, 'a secret');
    await client.call('DELETE', `/v1/sessions/${erasedId}`, undefined, {});
    let proven: Verdict = { isProven: false, text: '', key };
    let file: readonly string[] = [];
    await until('the erasure is in the transparency log', async () => {
      const { body } = await client.get(`/v1/sessions/${erasedId}/export?format=log`);
      file = String(body).trimEnd().split('\n');
      proven = await verdict(file);
      return /^(\d+) of \1 events are unchanged .* The content of \d+ of them was erased\. Nothing proves what 1 requests were: their content was erased\.$/.test(
        proven.text,
      );
    });
    expect(proven.isProven).toBe(true);
    expect(file.join()).not.toContain('a secret');
    expect((await client.get(`/v1/sessions/${erasedId}/audit`)).body).toMatchObject({ valid: true, transparencyLog: { matches: true } });
    const emptied = changed(1, (line) => ({ ...line, salt: null, data: '{}' }));
    expect(await verdictOf(emptied)).toEqual({ isProven: false, text: expect.stringMatching(/event 1 holds something that no erasure leaves/) });
  });

  it('carries files, requests and the log of the parent, and finds each that was changed or left out', async () => {
    const data = (
      await sharp({ create: { width: 9, height: 9, channels: 3, background: '#102030' } })
        .png()
        .toBuffer()
    ).toString('base64');
    const parent = await client.session();
    await client.ask(parent, [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
      { type: 'text', text: 'see' },
    ]);
    const { id: fork } = (await client.post(`/v1/sessions/${parent}/forks`)).body;
    await client.ask(fork, 'and now?');
    let file: readonly string[] = [];
    await until('the whole fork is in the transparency log', async () => {
      file = String((await client.get(`/v1/sessions/${fork}/export?format=log`)).body)
        .trimEnd()
        .split('\n');
      const { isProven, text } = await verdict(file);
      return isProven && !text.includes('not covered');
    });
    expect((await verdict(file)).text).toMatch(/was signed\. The shared history of 1 parent is unchanged\. 1 requests are as they were sent\.$/);
    const place = (type: string) => file.findLastIndex((line) => line.startsWith(`{"type":"${type}"`));
    const without = (type: string) => file.filter((_, index) => index !== place(type));
    const altered = (type: string, from: RegExp, to: string) => file.map((line, index) => (index === place(type) ? line.replace(from, to) : line));
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [without('file'), /to which an event refers, is not here/],
      [altered('file', /"content":"..../, '"content":"AAAA'), /does not have this SHA-256/],
      [altered('parent', /"headHash":"../, '"headHash":"00'), /not the parent/],
      [altered('parent', /"events":\d+/, '"events":1'), /events are needed/],
      [altered('event', /\\"/, '\\" '), /is not the one that was recorded/],
      [file.filter((line, index) => index < place('parent') || !/^{"type":"(parent|event)"/.test(line)), /its parent is not in the file|no event refers/],
    ];
    for (const [given, text] of cases) expect(await verdictOf(given)).toEqual({ isProven: false, text: expect.stringMatching(text) });
  });

  it('is for the owner of the session only', async () => {
    const other = await server.tenant('another');
    expect((await other.get(`/v1/sessions/${id}/export?format=log`)).status).toBe(404);
    expect((await other.get('/v1/audit')).body).toMatchObject({ data: [], valid: true });
    expect((await client.get('/v1/audit')).body).toMatchObject({
      valid: true,
      data: expect.arrayContaining([expect.objectContaining({ sessionId: id, valid: true })]),
      nextCursor: null,
    });
  });
});
