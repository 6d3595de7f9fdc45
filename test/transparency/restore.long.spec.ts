import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { JsonLinesFile } from '../../src/features/proofs/anchors/json-lines-file.js';
import { connect } from '../../src/platform/postgres/connect.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/platform/postgres/embedded-postgres.js';
import { extensionsOf, readCheckpoint } from '../../packages/proofs/checkpoint.js';
import { toBase64 } from '../../packages/proofs/base64.js';
import { openNote, readVerifierKey } from '../../packages/proofs/note.js';
import { append, ids, numbered } from '../support/appends.js';
import type { TestDatabase } from '../support/database.js';
import { postgresStore, type PostgresStore } from '../support/postgres-store.js';
import { prepareTemplate } from '../support/template.js';
import { until } from '../support/until.js';
import { cryptography, expectedLeaves, rootHex, sequencer } from './sequencing.js';

/** Compiled, this file lies in dist/test/transparency. */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** What a dump has, in an order in which it can be restored. */
const TABLES = ['stream', 'event', 'task_lease', 'tlog_key', 'tlog_run', 'tlog_tile', 'tlog_checkpoint', 'tlog_anchor'];

let folder: string;
let source: PostgresStore;
let server: EmbeddedPostgres;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'verbatim-restore-'));
  await chmod(folder, 0o777); // the server writes the dump
  [source, server] = await Promise.all([postgresStore(), startEmbeddedPostgres({ database: 'verbatim', volatile: true })]);
  await prepareTemplate(server.url);
  await withOwner(source.urls.ownerUrl, async (owner) => {
    // A server that has had more transactions than the one that its dump is restored into.
    await owner.query(`CREATE TEMP TABLE counted (n int);
      DO $$ BEGIN FOR n IN 1..20000 LOOP BEGIN INSERT INTO counted VALUES (n); EXCEPTION WHEN division_by_zero THEN NULL; END; END LOOP; END $$`);
  });
});
afterAll(async () => {
  await source.close();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

type Owner = Awaited<ReturnType<typeof connect>>;

async function withOwner<Result>(url: string, use: (owner: Owner) => Promise<Result>): Promise<Result> {
  const owner = await connect(url, 60_000);
  try {
    return await use(owner);
  } finally {
    await owner.end();
  }
}

const write = async (events: number): Promise<void> => void (await source.events.append(append(ids(), 0, { events: numbered(events) })));

/** As a worker does it, until every event of the database is in the tree. */
async function sequenced({ appUrl, ownerUrl }: Pick<TestDatabase, 'appUrl' | 'ownerUrl'>) {
  const { worker, log } = sequencer(appUrl);
  try {
    const events = await withOwner(ownerUrl, async (owner) => (await owner.query<{ n: number }>('SELECT count(*)::int AS n FROM event')).rows[0]!.n);
    await until('every event is in the tree', async () => {
      await worker.sequence();
      return (await log.head())?.size === events;
    });
    const head = (await log.head())!;
    const leaves = await withOwner(ownerUrl, expectedLeaves);
    expect(Buffer.from(head.root).toString('hex')).toBe(rootHex(leaves));
    return head;
  } finally {
    await worker.stop();
    await log.close();
  }
}

/** The rows of a database in another one, as pg_dump and pg_restore copy them: by COPY, without the triggers. */
async function copied(from: string, to: string): Promise<void> {
  await withOwner(from, async (owner) => {
    for (const table of TABLES) await owner.query(`COPY ${table} TO '${path.join(folder, table)}'`);
  });
  for (const table of TABLES) await chmod(path.join(folder, table), 0o644).catch(() => undefined);
  await withOwner(to, async (owner) => {
    await owner.query(
      `DO $$ DECLARE t text; BEGIN FOREACH t IN ARRAY '{${TABLES.join(',')}}'::text[] LOOP EXECUTE 'ALTER TABLE ' || t || ' DISABLE TRIGGER USER'; END LOOP; END $$`,
    );
    for (const table of TABLES) await owner.query(`COPY ${table} FROM '${path.join(folder, table)}'`);
    await owner.query(`DO $$ DECLARE t record; BEGIN FOR t IN SELECT tgname, tgrelid::regclass AS of FROM pg_trigger WHERE NOT tgisinternal LOOP
      EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', t.of, t.tgname); END LOOP; END $$`);
    await owner.query(`SELECT setval(pg_get_serial_sequence('event', 'position'), (SELECT max(position) FROM event))`);
  });
}

function log(ownerUrl: string, ...args: readonly string[]) {
  const env = { DATABASE_URL: ownerUrl, ANCHOR_FILE: path.join(folder, 'anchors') };
  const { status, stdout, stderr } = spawnSync(process.execPath, ['bin/verbatim', 'log', ...args], { cwd: ROOT, env, encoding: 'utf8' });
  return { status, said: stdout + stderr };
}

it('after a move to another server the same log continues when it is told to', async () => {
  await write(300);
  const before = await sequenced(source.urls);
  await new JsonLinesFile(path.join(folder, 'anchors')).append(before.note, 'now');
  await write(7); // in no checkpoint yet
  await copied(source.urls.ownerUrl, server.url);
  const moved = { ownerUrl: server.url, appUrl: server.url };
  expect(log(server.url, 'status')).toEqual({ status: 1, said: expect.stringMatching(/300 leaves[^]*The tables come from a dump of another server/) });
  expect(log(server.url, 'continue')).toEqual({ status: 0, said: expect.stringMatching(/continues after 300 leaves. 7 events are not in it yet/) });
  const after = await sequenced(moved);
  expect([after.size, after.verifier]).toEqual([307, before.verifier]);
  expect(log(server.url, 'status')).toEqual({ status: 0, said: expect.stringMatching(/307 leaves[^]*It continues by itself/) });
  expect(log(server.url, 'begin', 'example.com/other')).toEqual({ status: 1, said: expect.stringMatching(/Nothing is wrong with the log/) });
  const guarded = withOwner(server.url, (owner) => owner.query('UPDATE event SET xact_id = xact_id'));
  await expect(guarded).rejects.toThrow(/immutable/);
});

it('after the restore of an older backup another log begins, and names the last known checkpoint of the old one', async () => {
  // The anchor file has a checkpoint with events that the restored database lacks.
  await write(5);
  const lost = await sequenced(source.urls);
  const anchors = path.join(folder, 'anchors');
  await new JsonLinesFile(anchors).append(lost.note, 'now');
  const old = readCheckpoint(lost.note)!;
  expect(log(server.url, 'continue')).toEqual({ status: 1, said: expect.stringMatching(/does not continue the checkpoint of 312 leaves that was anchored/) });
  expect(log(server.url, 'begin', old.origin)).toEqual({ status: 1, said: expect.stringMatching(/The old log has this name/) });

  // While a worker lives, nothing is changed.
  const running = sequencer(server.url);
  await running.worker.sequence();
  expect(log(server.url, 'begin', 'example.com/second')).toEqual({ status: 1, said: expect.stringMatching(/A worker adds events .* Stop all processes/) });
  await running.worker.stop();
  await running.log.close();
  const begun = log(server.url, 'begin', 'example.com/second');
  expect(begun).toEqual({ status: 0, said: expect.stringContaining('example.com/second begins') });
  const head = await sequenced({ ownerUrl: server.url, appUrl: server.url });
  const key = readVerifierKey(cryptography.sha256, head.verifier)!;
  const text = openNote(cryptography.sha256, head.note, key, cryptography.verify)!;
  expect(readCheckpoint(text)).toMatchObject({ origin: 'example.com/second', size: 307 });
  expect(extensionsOf(text)).toEqual([`continues ${old.origin} 312 ${toBase64(old.root)}`]);
  // The operator has written it where the owner of the database cannot: audits accept it because of that.
  expect((await readFile(anchors, 'utf8')).trimEnd().split('\n').at(-1)).toContain('example.com/second');
  expect(log(server.url, 'begin', 'example.com/second')).toEqual({ status: 0, said: expect.stringContaining('has begun already') });
  await withOwner(server.url, async (owner) => {
    expect((await owner.query('SELECT max(size)::int AS size FROM tlog_past_1.tlog_checkpoint')).rows).toEqual([{ size: 307 }]);
  });
});
