import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { appLogin } from '../../src/platform/postgres/app-role.js';
import { withConnection } from '../../src/platform/postgres/connect.js';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../src/platform/postgres/embedded-postgres.js';
import { prepareDatabase, type PreparedDatabase } from '../../src/platform/postgres/prepare-database.js';

/** Roles belong to the whole server, so this spec has one of its own. */
let server: EmbeddedPostgres;
let migrations: string;
let databases = 0;

const admin = (...statements: readonly string[]): Promise<void> =>
  withConnection(server.url, 60_000, async (client) => {
    for (const statement of statements) await client.query(statement);
  });

const login = (user: string, password: string, database: string): string => {
  const url = new URL(server.url);
  url.username = user;
  url.password = password;
  url.pathname = `/${database}`;
  return url.href;
};

/** A new database; its owner is `user`. */
const databaseFor = async (user: string, password: string): Promise<string> => {
  const name = `app${++databases}`;
  await admin(`CREATE DATABASE ${name} OWNER ${user}`);
  return login(user, password, name);
};

const prepare = (ownerUrl: string, appUrl?: string): Promise<PreparedDatabase> =>
  prepareDatabase({ ownerUrl, appUrl, migrations, waitMs: 60_000, statementTimeoutMs: 20_000, setupTimeoutMs: 60_000 });

const whoAmI = (url: string): Promise<unknown> =>
  withConnection(url, 60_000, async (client) => {
    const { rows } = await client.query(`SELECT rolname, rolsuper OR rolcreaterole OR rolcreatedb AS mighty FROM pg_roles WHERE rolname = current_user`);
    return rows[0];
  });

beforeAll(async () => {
  server = await startEmbeddedPostgres({ database: 'app', volatile: true });
  migrations = await mkdtemp(path.join(tmpdir(), 'verbatim-migrations-'));
  await mkdir(path.join(migrations, '1_first'));
  await writeFile(path.join(migrations, '1_first', 'migration.sql'), 'CREATE TABLE note (note text); GRANT SELECT ON note TO verbatim_app;');
});

afterAll(async () => {
  await server.stop();
  await rm(migrations, { recursive: true, force: true });
});

beforeEach(async () => {
  const { rows } = await withConnection(server.url, 60_000, (client) =>
    client.query<{ name: string }>(`SELECT datname AS name FROM pg_database WHERE datname ~ '^app[0-9]'`),
  );
  await admin(...rows.map(({ name }) => `DROP DATABASE ${name} WITH (FORCE)`), 'DROP ROLE IF EXISTS verbatim_app', 'DROP ROLE IF EXISTS first, second');
  await admin(`CREATE ROLE first LOGIN CREATEROLE PASSWORD 'one'`, `CREATE ROLE second LOGIN CREATEROLE PASSWORD 'two'`);
});

describe("the product's role", () => {
  it('is created by an owner that is not a superuser, with the granted rights only', async () => {
    const { appUrl, applied } = await prepare(await databaseFor('first', 'one'));
    expect(applied).toEqual(['1_first']);
    expect(await whoAmI(appUrl)).toEqual({ rolname: 'verbatim_app', mighty: false });
    await withConnection(appUrl, 60_000, async (client) => {
      await client.query('SELECT * FROM note');
      await expect(client.query(`INSERT INTO note VALUES ('no')`)).rejects.toMatchObject({ code: '42501' });
    });
  });

  it('is the same for concurrent starts on several databases', async () => {
    const owners = await Promise.all([1, 2, 3].map(() => databaseFor('first', 'one')));
    const prepared = await Promise.all([...owners, ...owners].map((ownerUrl) => prepare(ownerUrl)));
    for (const { appUrl } of prepared) expect(await whoAmI(appUrl)).toMatchObject({ rolname: 'verbatim_app' });
    expect(new Set(prepared.map(({ appUrl }) => new URL(appUrl).password)).size).toBe(1);
  });

  it("follows when the owner's password changes", async () => {
    const ownerUrl = await databaseFor('first', 'one');
    const before = await prepare(ownerUrl);
    await admin(`ALTER ROLE first PASSWORD 'new'`);
    const after = await prepare(ownerUrl.replace(':one@', ':new@'));
    expect(await whoAmI(after.appUrl)).toMatchObject({ rolname: 'verbatim_app' });
    await expect(whoAmI(before.appUrl)).rejects.toMatchObject({ code: 'database_refused' });
  });

  it('is not taken from another deployment on the same server', async () => {
    const { appUrl } = await prepare(await databaseFor('first', 'one'));
    await expect(prepare(await databaseFor('second', 'two'))).rejects.toMatchObject({ code: 'app_role_taken' });
    expect(await whoAmI(appUrl)).toMatchObject({ rolname: 'verbatim_app' });
  });

  it('needs an owner that may create it; the error says what to do', async () => {
    await admin('ALTER ROLE first NOCREATEROLE');
    await expect(prepare(await databaseFor('first', 'one'))).rejects.toMatchObject({
      code: 'app_role_not_permitted',
      message: expect.stringContaining('DATABASE_APP_URL'),
    });
  });
});

describe('a login given by the operator', () => {
  it('is used unchanged; no role is changed', async () => {
    await admin(`CREATE ROLE verbatim_app LOGIN PASSWORD 'given'`, 'ALTER ROLE first NOCREATEROLE');
    const ownerUrl = await databaseFor('first', 'one');
    const given = login('verbatim_app', 'given', new URL(ownerUrl).pathname.slice(1));
    expect(await prepare(ownerUrl, given)).toEqual({ appUrl: given, directUrl: given, isDistributed: false, applied: ['1_first'] });
  });

  it('is rejected when row level security does not apply to it', async () => {
    await admin(`CREATE ROLE verbatim_app LOGIN PASSWORD 'given'`);
    const ownerUrl = await databaseFor('first', 'one');
    await withConnection(ownerUrl, 60_000, (client) => client.query('CREATE TABLE event (); ALTER TABLE event ENABLE ROW LEVEL SECURITY'));
    await expect(prepare(ownerUrl, ownerUrl)).rejects.toMatchObject({ code: 'app_role_exempt', message: expect.stringContaining('DATABASE_APP_URL') });
    const given = login('verbatim_app', 'given', new URL(ownerUrl).pathname.slice(1));
    expect(await prepare(ownerUrl, given)).toMatchObject({ appUrl: given });
  });

  it('is rejected at once when it is wrong', async () => {
    await admin(`CREATE ROLE verbatim_app LOGIN PASSWORD 'given'`);
    const ownerUrl = await databaseFor('first', 'one');
    await expect(prepare(ownerUrl, login('verbatim_app', 'wrong', new URL(ownerUrl).pathname.slice(1)))).rejects.toMatchObject({ code: 'database_refused' });
  });

  it('needs the role that the migrations grant rights to', async () => {
    const ownerUrl = await databaseFor('first', 'one');
    await expect(prepare(ownerUrl, ownerUrl)).rejects.toMatchObject({ code: 'app_role_missing' });
  });
});

describe('a server', () => {
  it('that does not answer is named in the error, without the password', async () => {
    const attempt = prepareDatabase({
      ownerUrl: 'postgresql://me:secret@127.0.0.1:1/app',
      migrations,
      waitMs: 300,
      statementTimeoutMs: 20_000,
      setupTimeoutMs: 20_000,
    });
    await expect(attempt).rejects.toMatchObject({ code: 'database_unreachable', message: expect.stringContaining('127.0.0.1:1/app') });
    await expect(attempt).rejects.toMatchObject({ message: expect.not.stringContaining('secret') });
  });

  it('without the database has its own error', async () => {
    await expect(prepare(login('first', 'one', 'nowhere'))).rejects.toMatchObject({ code: 'database_missing' });
  });

  it('may become available later', async () => {
    const home = await mkdtemp(path.join(tmpdir(), 'verbatim-spec-'));
    const dataDir = path.join(home, 'data');
    const early = await startEmbeddedPostgres({ dataDir, database: 'app', volatile: true });
    await early.stop();
    const prepared = prepareDatabase({ ownerUrl: early.url, migrations, waitMs: 120_000, statementTimeoutMs: 20_000, setupTimeoutMs: 60_000 });
    const late = await startEmbeddedPostgres({ dataDir, database: 'app', volatile: true });
    expect((await prepared).applied).toEqual(['1_first']);
    await late.stop();
    await rm(late.dataDir, { recursive: true });
    await rm(home, { recursive: true });
  });
});

describe('the derived login', () => {
  it.each([
    ['postgresql://owner:a%40b@db.example/app?sslmode=require', /^postgresql:\/\/verbatim_app:[\w-]{43}@db\.example\/app\?sslmode=require$/],
    ['postgresql://owner@db.example/app', /^postgresql:\/\/verbatim_app@db\.example\/app$/],
    [
      'postgresql:///app?host=%2Frun%2Fpostgresql&user=owner&password=x',
      /^postgresql:\/\/\/app\?host=%2Frun%2Fpostgresql&user=verbatim_app&password=[\w-]{43}$/,
    ],
  ])('keeps the other parts of %s', (ownerUrl, expected) => {
    expect(appLogin(ownerUrl).appUrl).toMatch(expected);
  });
});
