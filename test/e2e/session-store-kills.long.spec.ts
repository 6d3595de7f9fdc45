import path from 'node:path';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createClient } from '@verbatim/client';
import type * as Package from '../../clients/session-store/dist/index.js';
import { call, ClaudeFile, text } from '../support/claude-file.js';
import { expectStatus, type UnknownObject } from '../support/client.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { ServerProcess } from '../support/process.js';
import { makeTenant } from '../support/tenant.js';

const { VerbatimSessionStore } = (await import(path.resolve('clients/session-store/dist/index.js'))) as typeof Package;

let database: TestDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

/** Turns with two calls at once, whose results and further lines come in between. */
function conversation(turns: number): ClaudeFile {
  const file = new ClaudeFile();
  let tip: string | null = null;
  for (let n = 0; n < turns; n += 1) {
    file.state('mode', { mode: 'default', n }).user(`u${n}`, tip, `prompt ${n}`);
    file.piece(`c${n}`, `u${n}`, `m${n}`, call(`t${n}`)).result(`r${n}`, `c${n}`, `t${n}`, 'one');
    file.piece(`d${n}`, `c${n}`, `m${n}`, call(`s${n}`)).result(`q${n}`, `d${n}`, `s${n}`, 'two');
    file.piece(`a${n}`, `q${n}`, `n${n}`, text(`answer ${n}`), { stop: 'end_turn' });
    tip = `a${n}`;
  }
  return file;
}

it('has every line once, and the messages of an import, when the server is killed again and again', async () => {
  const token = await makeTenant(database.ownerUrl, 'killed');
  const start = () => ServerProcess.start({ DATABASE_URL: database.ownerUrl, LOG_LEVEL: 'fatal' });
  let server = await start();
  let requests = 0;
  let kills = 0;
  /** Every fourth request meets the end of the server, some milliseconds later than the one before. */
  const killing: typeof fetch = async (input, init) => {
    const answer = fetch(String(input).replace('http://server', server.url), init);
    answer.catch(() => undefined); // it is awaited after the restart
    requests += 1;
    if (requests % 4 !== 0 || kills === 8) return answer;
    kills += 1;
    await new Promise((resolve) => setTimeout(resolve, kills * 3));
    await server.kill();
    server = await start();
    return answer;
  };
  try {
    const client = createClient({ baseUrl: 'http://server', token, retries: 0, fetch: killing });
    const store = new VerbatimSessionStore({ client });
    const key = { projectKey: 'project', sessionId: randomUUID() };
    const file = conversation(12);
    const entries = file.lines.map((line) => JSON.parse(line) as Package.SessionStoreEntry);
    for (let at = 0; at < entries.length; at += 3) {
      // As often as it takes: the SDK tries three times.
      for (let isStored = false; !isStored;) {
        isStored = await store.append(key, entries.slice(at, at + 3)).then(
          () => true,
          () => false,
        );
      }
    }
    expect(kills).toBe(8);
    expect(await store.load(key)).toEqual(entries);
    const reader = server.client(token);
    const imported = expectStatus(await reader.call('POST', '/v1/imports', file.text, { 'content-type': 'application/x-ndjson' }), 201).body.id;
    const { id } = (await reader.get('/v1/session-store?projectKey=project')).body.data[0];
    const shown = async (of: string) => (await reader.messages(of, 'view=full&limit=1000')).map(({ seq: _, ...message }: UnknownObject) => message);
    expect(await shown(id)).toEqual(await shown(imported));
    expect((await reader.get(`/v1/sessions/${id}/audit`)).body).toMatchObject({ valid: true });
  } finally {
    await server.stop();
  }
});
