import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { appLogin } from '../../src/adapters/postgres/app-role.js';
import { withConnection } from '../../src/adapters/postgres/connect.js';
import { prepareTemplate } from './template.js';

export interface TestDatabase {
  /** May do everything. */
  readonly ownerUrl: string;
  /** What the product connects with. */
  readonly appUrl: string;
  /** Also when connections are still open. */
  drop(): Promise<void>;
}

export interface Template {
  readonly ownerUrl: string;
  drop(): Promise<void>;
}

/** A database of its own for a spec file: prepared like the real one, and empty. */
export async function freshDatabase(): Promise<TestDatabase> {
  return create(databaseOf(templateUrl()));
}

/** A database without anything of ours. */
export async function blankDatabase(): Promise<TestDatabase> {
  return create('template0');
}

/** Nobody can connect to the finished template: Postgres clones only what nobody uses. */
export async function createTemplate(serverUrl: string): Promise<Template> {
  const name = `verbatim_template_${randomUUID()}`;
  const ownerUrl = renamed(serverUrl, name);
  await administer(serverUrl, `CREATE DATABASE ${quoted(name)}`);
  await prepareTemplate(ownerUrl);
  await administer(
    serverUrl,
    `ALTER DATABASE ${quoted(name)} ALLOW_CONNECTIONS false`,
    `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = ${pg.escapeLiteral(name)}`,
  );
  return { ownerUrl, drop: () => administer(serverUrl, `DROP DATABASE IF EXISTS ${quoted(name)} WITH (FORCE)`) };
}

async function create(template: string): Promise<TestDatabase> {
  const server = templateUrl();
  const name = `verbatim_test_${randomUUID()}`;
  await administer(server, `CREATE DATABASE ${quoted(name)} TEMPLATE ${quoted(template)}`);
  const ownerUrl = renamed(server, name);
  return {
    ownerUrl,
    appUrl: appLogin(ownerUrl).appUrl,
    drop: () => administer(server, `DROP DATABASE IF EXISTS ${quoted(name)} WITH (FORCE)`),
  };
}

function templateUrl(): string {
  const url = process.env['TEST_TEMPLATE_URL'];
  if (!url) throw new Error('TEST_TEMPLATE_URL is not set: this spec needs the global set-up of jest.config.mjs');
  return url;
}

async function administer(url: string, ...statements: readonly string[]): Promise<void> {
  await withConnection(renamed(url, 'postgres'), 10_000, async (client) => {
    for (const statement of statements) await client.query(statement);
  });
}

const quoted = (name: string): string => pg.escapeIdentifier(name);

const databaseOf = (url: string): string => decodeURIComponent(new URL(url).pathname.slice(1));

function renamed(url: string, database: string): string {
  const other = new URL(url);
  other.pathname = `/${encodeURIComponent(database)}`;
  return other.href;
}
