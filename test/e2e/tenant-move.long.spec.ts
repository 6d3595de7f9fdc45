import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import type pg from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import { TENANT_TABLES } from '../../src/platform/tenant-unit/tables.js';
import { Client } from '../support/client.js';
import { keysOf, textOf } from '../support/encryption.js';
import { ALL, answersOf, audited, DEEDS, type Ended, expectErasedAtOnce, type FilledTenant, fillTenant, verbatim } from '../support/moved-tenant.js';
import { runs } from '../support/property-runs.js';
import { CREDENTIALS, S3Server, storeAt } from '../support/s3-server.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { logKeyOf } from '../support/log-key.js';
import { until } from '../support/until.js';

/** An erasure of the session is the last that is done to it. */
const isLast = (deed: string): number => Number(deed === 'erased session');
const deeds = fc.array(fc.constantFrom(...Object.keys(DEEDS)), { maxLength: 4 }).map((found) => [...found].sort((a, b) => isLast(a) - isLast(b)));
const anyTenant = fc.array(deeds, { maxLength: 2 });

describe('a tenant that moves to another deployment', () => {
  let folder: string;
  let s3: S3Server;
  let source: TestServer;
  let target: TestServer;
  let key: string;
  let owner: pg.Client;
  let count = 0;

  const shared = { TLOG_INTERVAL_MS: '10', TOOLS: 'Agent', ERASURE_INTERVAL_MS: '50' };
  const storage = (): Readonly<Record<string, string>> => ({ ...CREDENTIALS, BLOB_STORE: storeAt(s3.url, '/source') });
  const ofSource = (): Readonly<Record<string, string>> => ({
    ...storage(),
    ENCRYPTION: 'on',
    ENCRYPTION_KEYS: textOf(keysOf('one')),
    TLOG_ORIGIN: 'source.example.com',
  });
  const ofTarget = { ENCRYPTION_KEYS: textOf(keysOf('two', 'one')), TLOG_ORIGIN: 'target.example.com' };

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'verbatim-move-'));
    s3 = await S3Server.start();
    [source, target] = await Promise.all([startTestServer({ ...shared, ...ofSource() }), startTestServer({ ...shared, ...ofTarget })]);
    key = await logKeyOf(source.client);
    owner = await connect(target.database.ownerUrl, 60_000);
  });
  afterAll(async () => {
    await owner?.end();
    await Promise.all([source?.stop(), target?.stop()]);
    await s3?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const filled = (sessions: readonly (readonly string[])[]): Promise<FilledTenant> => fillTenant(source, `moving ${(count += 1)}`, sessions);
  const runOn = (on: TestServer, args: readonly string[], more: { output?: string; killedAfter?: number } = {}): Promise<Ended> =>
    verbatim({ DATABASE_URL: on.database.ownerUrl, ...(on === source ? ofSource() : ofTarget) }, args, more);
  const done = async (on: TestServer, args: readonly string[], more: { output?: string } = {}): Promise<string> => {
    const { status, said } = await runOn(on, args, more);
    expect({ status, said }).toEqual({ status: 0, said });
    return said;
  };

  const rowsOf = async (tenantId: string): Promise<Readonly<Record<string, number>>> => {
    const counts: Record<string, number> = {};
    for (const table of Object.keys(TENANT_TABLES)) {
      const { rows } = await owner.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table} WHERE tenant_id = $1`, [tenantId]);
      if (rows[0]!.n > 0) counts[table] = rows[0]!.n;
    }
    return counts;
  };

  const exported = async (name: string): Promise<string> => {
    const file = path.join(folder, `${name}.jsonl`);
    await done(source, ['freeze-tenant', name]);
    await done(source, ['export-tenant', name], { output: file });
    return file;
  };

  it('answers there as before: every GET route, audits, proofs, and turns that continue', async () => {
    await fc.assert(
      fc.asyncProperty(anyTenant, async (random) => {
        const { name, client, ids } = await filled([...ALL, ...random]);
        const file = await exported(name);
        const before = await answersOf(client, ids);
        for (const [method, route, body] of [
          ['POST', `/v1/sessions/${ids[0]}/prompts`, { input: 'not here' }],
          ['POST', '/v1/tokens', { userName: 'x', role: 'member', name: 'x' }],
          ['PATCH', '/v1/settings', { retentionDays: 7 }],
        ] as const) {
          const { status, headers, body: problem } = await client.call(method, route, body);
          expect([status, problem.code, headers.get('retry-after')]).toEqual([503, 'tenant_moving', '10']);
        }
        expect(await done(target, ['restore-tenant', file, '--key', key])).toContain(`The tenant ${name} is here`);
        const there = new Client(target.running.url, client.token);
        expect(await answersOf(there, ids)).toEqual(before);
        await audited(there, ids);
        expect((await there.ask(ids[1]!, 'continues')).status).toBe('completed');
        expect(await runOn(target, ['restore-tenant', file, '--key', key])).toMatchObject({ status: 1, said: expect.stringContaining('(tenant_exists)') });
        expect((await source.client.get('/v1/sessions')).status).toBe(200);
      }),
      { ...runs(1), endOnFailure: true },
    );
  });

  it('is there as a whole or not at all: after a damaged file, another key, a missing data key, or a kill at any moment', async () => {
    const { name, client, ids } = await filled([['image', 'fork'], ['erased message']]);
    const file = await exported(name);
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    const { tenantId } = (await client.get('/v1/me')).body;
    const restore = async (changed: readonly string[], by = key): Promise<string> => {
      const damaged = path.join(folder, 'damaged.jsonl');
      await writeFile(damaged, changed.map((line) => `${line}\n`).join(''));
      const { status, said } = await runOn(target, ['restore-tenant', damaged, '--key', by]);
      expect([status, await rowsOf(tenantId)]).toEqual([1, {}]);
      return said;
    };
    const events = lines.indexOf(lines.find((line) => line.includes('"name":"event"'))!) + 1;
    const changed = (at: number, change: (line: string) => string): readonly string[] => lines.map((line, index) => (index === at ? change(line) : line));
    const without = (at: number): readonly string[] => lines.filter((_, index) => index !== at);
    expect(await restore(changed(events + 2, (line) => line.replace('wallpaper', 'carpet').replace(/"\d{4}-/, '"2001-')))).toMatch(
      new RegExp(`Line ${events + 3}: event 3 .* is not the one that was recorded.*bad_line`),
    );
    expect(await restore(without(events + 1))).toMatch(new RegExp(`Line ${events + 2}: event 3 .*bad_line`));
    expect(await restore(lines.slice(0, -1))).toMatch(/without the note.*bad_line/);
    expect(await restore(changed(events - 3, (line) => line.slice(0, -9)))).toMatch(/is not JSON.*bad_line/);
    const settings = lines.findIndex((line) => line.includes('"type":"row"') && line.includes('about wallpaper'));
    expect(
      await restore(lines.map((line, index) => (index > 1 && index !== settings && line.includes('of bert') ? line.replace('of bert', 'of eve') : line))),
    ).toMatch(/bad_note/);
    const others = await logKeyOf(target.client);
    expect(await restore(lines, others)).toMatch(/bad_note/);

    for (let killedAfter = 1_500; ; killedAfter = Math.round(killedAfter * 1.5)) {
      const { status } = await runOn(target, ['restore-tenant', file, '--key', key], { killedAfter });
      if (status === 0) break;
      const found = await rowsOf(tenantId);
      expect(status).toBe(null);
      if (Object.keys(found).length > 0) break; // killed after its commit
    }
    const there = new Client(target.running.url, client.token);
    await audited(there, ids);
    const { rows } = await owner.query<{ note: string }>('SELECT note FROM tenant_handover WHERE tenant_id = $1', [tenantId]);
    expect(rows.map(({ note }) => note)).toEqual([(JSON.parse(lines.at(-1)!) as { note: string }).note]);
  });

  it('takes a turn with it that runs, and acknowledges nothing that it leaves', async () => {
    const { name, client, ids } = await filled([[], []]);
    const acknowledged: string[] = [];
    let isOver = false;
    const writing = ids.map(async (id) => {
      for (let n = 0; !isOver; n += 1) {
        const input = `kept ${id} ${n}.`;
        const { status } = await client.prompt(id, input);
        if (status === 202) acknowledged.push(input);
      }
    });
    await until('prompts are acknowledged', async () => acknowledged.length > 10);
    const file = await exported(name);
    isOver = true;
    await Promise.all(writing);
    await done(target, ['restore-tenant', file, '--key', key]);
    const there = new Client(target.running.url, client.token);
    await until('every turn is over', async () => (await there.get('/v1/sessions?status=running')).body.data.length === 0);
    const texts = JSON.stringify(await Promise.all(ids.map((id) => there.events(id))));
    expect(acknowledged.filter((input) => !texts.includes(input))).toEqual([]);
    await audited(there, ids);
  });

  it('is erased at the source without a moment in which it accepts anything', async () => {
    await expectErasedAtOnce({ run: (words) => runOn(source, words), done: (words) => done(source, words) }, await filled([[]]));
  });

  it('has a rule for each table with rows of tenants', async () => {
    const { rows } = await owner.query<{ name: string }>(
      `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id' WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') ORDER BY 1`,
    );
    expect(rows.map(({ name }) => name)).toEqual(Object.keys(TENANT_TABLES).sort());
  });
});
