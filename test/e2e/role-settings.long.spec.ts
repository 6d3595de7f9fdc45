import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg, { type Client as Connection } from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import { type Client, expectStatus } from '../support/client.js';
import { image, PIXEL } from '../support/normalize/build.js';
import { startTestServer, type TestServer } from '../support/server.js';

/**
 * The owner of the database gives the application's role other settings, which decide how Postgres reads and writes values, and finds names. A server that is started with them shows what was recorded,
 * byte for byte, and records what it is told; its audits are valid, and what it records is the same for a server that was started before.
 */
const SETTINGS: readonly (readonly [name: string, value: string])[] = [
  ['TimeZone', 'Asia/Kolkata'],
  ['DateStyle', 'German, DMY'],
  ['IntervalStyle', 'sql_standard'],
  ['bytea_output', 'escape'],
  ['extra_float_digits', '-15'],
  ['client_encoding', 'LATIN1'],
  ['standard_conforming_strings', 'off'],
  ['transform_null_equals', 'on'],
  ['array_nulls', 'off'],
  ['quote_all_identifiers', 'on'],
  ['row_security', 'off'],
  ['default_transaction_isolation', 'serializable'],
  ['search_path', 'shadow, public'],
  ['verbatim.tenant', '00000000-0000-0000-0000-000000000001'],
];
const SAID = 'a "word" \\ with é, 😀 and 9007199254740993';
const READS = ['', '/messages', '/events?limit=300', '/payload', '/requests', '/export', '/markdown'];

let server: TestServer;
let owner: Connection;
let id: string;
let before: readonly string[];

const read = async ({ baseUrl, token }: Client, of: string): Promise<readonly string[]> =>
  Promise.all(
    READS.map(async (route) => {
      const response = await fetch(`${baseUrl}/v1/sessions/${of}${route}`, { headers: { authorization: `Bearer ${token}` } });
      return `${response.status} ${await response.text()}`;
    }),
  );
const record = async (client: Client): Promise<string> => {
  const session = await client.session({ title: SAID, metadata: { kind: SAID }, retentionDays: 30 });
  await client.ask(session, [image(PIXEL), { type: 'text', text: SAID }]);
  return session;
};
const audit = async (client: Client, of: string): Promise<unknown> => expectStatus(await client.get(`/v1/sessions/${of}/audit?requests=1`), 200).body;

beforeAll(async () => {
  server = await startTestServer();
  owner = await connect(server.database.ownerUrl, 60_000);
  id = await record(server.client);
  before = await read(server.client, id);
  // A schema that is searched first, with functions that are called as those of the application.
  const role = pg.escapeIdentifier(decodeURIComponent(new URL(server.database.appUrl).username));
  await owner.query(`CREATE SCHEMA shadow; GRANT USAGE ON SCHEMA shadow TO ${role};
    CREATE FUNCTION shadow.chain_hash(bytea, uuid, bigint, uuid, uuid, uuid, integer, timestamptz, bytea, text, text) RETURNS bytea LANGUAGE sql AS 'SELECT ''''::bytea';
    CREATE FUNCTION shadow.current_tenant() RETURNS uuid LANGUAGE sql AS 'SELECT NULL::uuid'`);
});
afterAll(async () => {
  await owner.end();
  await server.stop();
});

describe('settings of the role of the application', () => {
  it('change nothing of what is shown, recorded and audited', async () => {
    const url = new URL(server.database.appUrl);
    const of = `ROLE ${pg.escapeIdentifier(decodeURIComponent(url.username))} IN DATABASE ${pg.escapeIdentifier(url.pathname.slice(1))}`;
    for (const [name, value] of SETTINGS) {
      const to = value.split(', ').map((one) => pg.escapeLiteral(one));
      await owner.query(`ALTER ${of} SET ${name} = ${to.join(', ')}`);
    }
    const other = await startTestServer({}, server.database, server.client.token);
    try {
      expect(await read(other.client, id)).toEqual(before);
      expect(await audit(other.client, id)).toMatchObject({ valid: true });
      const recorded = await record(other.client);
      expect(await audit(other.client, recorded)).toMatchObject({ valid: true });
      expect(await audit(server.client, recorded)).toMatchObject({ valid: true });
      expect(await read(server.client, recorded)).toEqual(await read(other.client, recorded));
    } finally {
      await other.stop();
    }
  });
});
