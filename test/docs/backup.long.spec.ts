import { afterAll, beforeAll, expect } from '@jest/globals';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { appLogin } from '../../src/platform/postgres/app-role.js';
import { withConnection } from '../../src/platform/postgres/connect.js';
import { BASH, itWith, POSTGRES } from '../support/needs.js';
import { InstalledPostgres, POSTGRES_PROGRAMS } from '../support/postgres-programs.js';
import { startTestServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';
import { blocksOf, pages } from './markdown.js';
import { type Outcome, Shell } from './shell.js';

/** The commands of docs/how-to/recover-from-a-backup.md, between servers of the installed Postgres. */
const page = (await pages()).find(({ file }) => file === 'docs/how-to/recover-from-a-backup.md')!;
const commandsWith = (word: string): string => blocksOf(page).find(({ language, text }) => language === 'sh' && text.includes(word))!.text;

const TRANSACTIONS = `CREATE TEMP TABLE counted (n int);
  DO $$ BEGIN FOR n IN 1..20000 LOOP BEGIN INSERT INTO counted VALUES (n); EXCEPTION WHEN division_by_zero THEN NULL; END; END LOOP; END $$`;

let folder: string;
let source: InstalledPostgres | undefined;
let other: InstalledPostgres | undefined;
let shell: Shell | undefined;
let session: { readonly id: string; readonly token: string } | undefined;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'verbatim-backup-'));
  await chmod(folder, 0o755); // the servers run as another account
});
afterAll(async () => {
  await shell?.kill();
  await Promise.all([source?.stop(), other?.stop()]);
  await rm(folder, { recursive: true, force: true });
});

async function postgres(name: string): Promise<InstalledPostgres> {
  await mkdir(path.join(folder, name), { recursive: true });
  return InstalledPostgres.start(path.join(folder, name));
}

const settingsOf = (url: string) => ({
  DATABASE_URL: url,
  DATA_DIR: path.join(folder, 'files'),
  ANCHOR_FILE: path.join(folder, 'anchors'),
  TLOG_INTERVAL_MS: '50',
});

async function withServer<Result>(url: string, use: (server: TestServer) => Promise<Result>): Promise<Result> {
  const server = await startTestServer(settingsOf(url), { ownerUrl: url, appUrl: appLogin(url).appUrl, drop: async () => undefined }, session?.token);
  try {
    return await use(server);
  } finally {
    await server.stop();
  }
}

/** As somebody who keeps the server stopped. */
async function said(commands: string, url: string, more: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  const at = await mkdtemp(path.join(folder, 'shell-'));
  const { DATA_DIR: _, ...settings } = settingsOf(url);
  shell = await Shell.open(at, { ...settings, PATH: `${POSTGRES_PROGRAMS}:${process.env['PATH']}`, ...more });
  try {
    const { errors, ...outcome } = await shell.run(commands);
    // A slow machine says that it compares sources with what is compiled.
    return { ...outcome, errors: errors.replaceAll(/^Compil(?:ing|ed).*\n/gm, '') };
  } finally {
    await shell.kill();
  }
}

/** The audit compares every event with the transparency log. */
async function requireAudited({ client }: TestServer): Promise<void> {
  await until('the audit is valid', async () => {
    const { body } = await client.get(`/v1/sessions/${session!.id}/audit`);
    return body.valid === true && body.transparencyLog?.events > 0;
  });
  expect((await client.get(`/v1/sessions/${session!.id}/messages`)).body.data.length).toBeGreaterThan(1);
}

itWith(BASH, POSTGRES)('a physical backup and a dump are restored by the documented commands, and audits of the restored sessions are valid', async () => {
  source = await postgres('source');
  const url = `${source.url}/verbatim`;
  await withConnection(`${source.url}/postgres`, 60_000, (owner) => owner.query('CREATE DATABASE verbatim'));
  // A server that has had more transactions than the one that its dump is restored into.
  await withConnection(url, 60_000, (owner) => owner.query(TRANSACTIONS));
  await withServer(url, async (server) => {
    const id = await server.client.session();
    session = { id, token: (await server.client.post('/v1/tokens', {})).body.token };
    await server.client.settled(id, (await server.client.prompt(id, 'Hello there')).body.turnId);
    await requireAudited(server);
  });

  const copied = await said(`cd ${folder}\n${commandsWith('pg_basebackup')}`, url);
  expect(copied).toMatchObject({ status: 0, output: expect.stringContaining('backup successfully verified') });
  other = await postgres('backup');
  expect(await said(commandsWith('log status'), `${other.url}/verbatim`)).toMatchObject({ status: 0 });
  await withServer(`${other.url}/verbatim`, requireAudited);
  await other.stop();

  other = await postgres('empty');
  await withConnection(`${other.url}/postgres`, 60_000, (owner) => owner.query('CREATE ROLE verbatim_app LOGIN'));
  expect(await said(`cd ${folder}\n${commandsWith('pg_dump')}`, url, { NEW_SERVER: other.url })).toMatchObject({ status: 0, errors: '' });
  const restored = `${other.url}/verbatim`;
  const [continues] = commandsWith('log continue').split('\n');
  expect(await said(continues!, restored)).toMatchObject({ status: 0, errors: '', output: expect.stringContaining('The log continues after') });
  expect(await said(commandsWith('log status'), restored)).toMatchObject({ status: 0 });
  await withServer(restored, requireAudited);
});
