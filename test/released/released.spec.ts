import { afterEach, describe, expect, it } from '@jest/globals';
import { readdir, readFile } from 'node:fs/promises';
import { withConnection } from '../../src/platform/postgres/connect.js';
import { readMigrations } from '../../src/platform/postgres/migrations/migration-files.js';
import { blankDatabase } from '../support/database.js';
import { expectStatus } from '../support/client.js';
import { startTestServer } from '../support/server.js';
import { MIGRATIONS } from '../support/template.js';
import { fill, textsIn } from './fill.js';
import { restore, rowsOf } from './rows.js';

/** The rows of a database of each release, by its newest migration. */
const ROWS = 'test/released/rows';
const released = (await readdir(ROWS)).filter((name) => name.endsWith('.sql')).map((name) => name.slice(0, -'.sql'.length));

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Rows of this build: what a release would keep. */
async function rowsOfToday(): Promise<string> {
  const server = await startTestServer();
  try {
    const filled = await fill(server);
    return await withConnection(server.database.ownerUrl, 60_000, (owner) => rowsOf(owner, filled));
  } finally {
    await server.stop();
  }
}

describe('a database of a release', () => {
  it.each([...released, 'today'])('%s is migrated by a start of this build, and its conversations are read, verified and continued', async (name) => {
    const newest = name === 'today' ? (await readMigrations(MIGRATIONS)).at(-1)!.name : name;
    const rows = name === 'today' ? await rowsOfToday() : await readFile(`${ROWS}/${name}.sql`, 'utf8');
    const database = await blankDatabase();
    closing.push(() => database.drop());
    const { token, sessions, sha256 } = await restore(database.ownerUrl, newest, rows);
    const server = await startTestServer({}, database, token);
    closing.push(() => server.stop());
    const { client } = server;
    for (const { id, title, texts, version } of sessions) {
      expect(expectStatus(await client.get(`/v1/sessions/${id}`), 200).body).toMatchObject({ title, version });
      expect(await textsIn(client, id)).toEqual(texts);
      expect(expectStatus(await client.get(`/v1/sessions/${id}/audit`), 200).body).toMatchObject({ valid: true });
      expect((await client.ask(id, 'and on')).status).toBe('completed');
    }
    const [first] = sessions;
    expect((await client.call('GET', `/v1/sessions/${first!.id}/blobs/${sha256}`)).status).toBe(200);
    const found = expectStatus(await client.get('/v1/search?q=lighthouse'), 200).body.data as readonly { readonly sessionId: string }[];
    expect(found.map(({ sessionId }) => sessionId)).toContain(first!.id);
  });
});
