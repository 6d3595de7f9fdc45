import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { appLogin } from '../../src/platform/postgres/app-role.js';
import { applyAppRoleSettings, revokePublicRights } from '../../src/platform/postgres/app-role-settings.js';
import { withConnection } from '../../src/platform/postgres/connect.js';
import { prepareTemplate } from './template.js';

/** For a server that is busy with the other suites. */
const WAIT_MS = 60_000;

export interface TestDatabase {
  /** The superuser. */
  readonly ownerUrl: string;
  /** The application's login. */
  readonly appUrl: string;
  /** Also closes connections that are still open. */
  drop(): Promise<void>;
}

export interface Template {
  readonly ownerUrl: string;
  drop(): Promise<void>;
}

/** A new, empty database with the schema of a started server, for one spec file. */
export async function freshDatabase(): Promise<TestDatabase> {
  const database = await create(databaseOf(templateUrl()));
  // Rights on a database and settings of a role in it are not copied from a template.
  await withConnection(database.ownerUrl, WAIT_MS, revokePublicRights);
  await setStatementTimeout(database.appUrl, 60_000);
  return database;
}

/** A new database without the schema. */
export async function blankDatabase(): Promise<TestDatabase> {
  return create('template0');
}

/** Connections to the finished template are not allowed: Postgres copies only a database without connections. */
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

/** Sets the application's time limits on the server, as a start does. For connections that are opened afterwards. */
export function setStatementTimeout(appUrl: string, timeoutMs: number): Promise<void> {
  return withConnection(appUrl, WAIT_MS, (client) => applyAppRoleSettings(client, timeoutMs));
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
  if (!url) throw new Error('TEST_TEMPLATE_URL is not set: run the spec with jest.config.mjs, whose global set-up sets it');
  return url;
}

async function administer(url: string, ...statements: readonly string[]): Promise<void> {
  await withConnection(renamed(url, 'postgres'), WAIT_MS, async (client) => {
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
