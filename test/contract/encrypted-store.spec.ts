import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from 'pg';
import { rewrapKeys } from '../../src/platform/encryption/rewrap-keys.js';
import { PostgresBlobs } from '../../src/platform/blobs/postgres-blobs.js';
import { connect } from '../../src/platform/postgres/connect.js';
import { LocalKeyRing } from '../../src/platform/encryption/local-key-ring.js';
import { PostgresEventStore } from '../../src/engine/store/postgres-event-store.js';
import { PostgresSessionList } from '../../src/engine/store/postgres-session-list.js';
import type { SessionProjection } from '../../src/session/transcript/projection.js';
import { append, appended, closed, ids, numbered } from '../support/appends.js';
import { dump, formsOf } from '../support/dump.js';
import { postgresStore, type PostgresStore } from '../support/postgres-store.js';
import { keysOf, NO_ENCRYPTION, encryptionWith } from '../support/encryption.js';
import { makeTenant } from '../support/tenant.js';
import { eventStoreContract } from './event-store.contract.js';
import { sessionListContract } from './session-list.contract.js';

/** The store with encryption, on the same contracts as without, and what only encryption has. */
let store: PostgresStore;
let owner: Client;

beforeAll(async () => {
  store = await postgresStore({ encryption: encryptionWith('first') });
  owner = await connect(store.urls.ownerUrl, 60_000);
  await owner.query('ALTER TABLE event DISABLE TRIGGER event_immutable');
});
afterAll(async () => {
  await owner.end();
  await store.close();
});

/** A store of another process: it knows no data key yet. */
const storeWith = (...names: readonly string[]): PostgresEventStore => new PostgresEventStore(store.database, encryptionWith(...names));

const PROJECTION: SessionProjection = {
  ...{ messages: 1, moved: false, usage: null, archived: null, metadata: null, hidden: [], shown: [] },
  ...{ firstText: 'secret first', lastText: 'secret last', texts: [{ id: randomUUID(), kind: 'user', text: 'secret words' }] },
};

describe('the event store with encryption', () => eventStoreContract(async () => store.events));
describe('the session list with encryption', () => sessionListContract(async () => store));

describe('with encryption', () => {
  it('a new session is stored without a search for its key', async () => {
    const of = ids();
    await owner.query('REVOKE SELECT ON data_key FROM verbatim_app');
    try {
      expect((await store.events.append(append(of, 0, { events: [closed('secret')] }))).kind).toBe('appended');
    } finally {
      await owner.query('GRANT SELECT ON data_key TO verbatim_app');
    }
    expect(await storeWith('first').load(of.tenantId, of.sessionId)).toMatchObject([{ data: { reason: 'secret' } }]);
  });

  it('the database has no content, and other processes read all of it', async () => {
    const of = ids();
    const first = append(of, 0, { events: [closed('secret one'), closed(null)], summary: { title: 'secret title' }, projection: PROJECTION });
    expect((await store.events.append(first)).kind).toBe('appended');
    const lines = (await dump(owner)).join('\n');
    expect(lines).toContain(of.sessionId);
    for (const text of ['secret one', 'secret title', 'secret first', 'secret last', 'secret words'])
      for (const form of formsOf(text)) expect(lines).not.toContain(form);
    expect((await storeWith('first').load(of.tenantId, of.sessionId)).map(({ data }) => data)).toEqual(first.events.map(({ data }) => data));
    const list = new PostgresSessionList(store.database, encryptionWith('first'));
    expect(await list.find(of.tenantId, of.sessionId)).toMatchObject({ title: 'secret title', firstText: 'secret first', lastText: 'secret last' });
    expect(await storeWith('first').verify(of.tenantId, of.sessionId)).toMatchObject({ valid: true, events: 2 });
    const exported = await storeWith('first').stored(of.tenantId, of.sessionId, 0, 10);
    expect(exported.map(({ data }) => data)).toEqual(['{"reason":"secret one"}', '{"reason":null}']);
  });

  it('appends of many sessions in one commit are encrypted', async () => {
    const all = Array.from({ length: 20 }, ids);
    for (const of of all) await store.events.append(append(of, 0));
    const outcomes = await Promise.all(all.map((of, index) => store.events.append(append(of, 1, { events: numbered(2 + (index % 3)) }))));
    expect(outcomes.every(({ kind }) => kind === 'appended')).toBe(true);
    const audits = await Promise.all(all.map(({ tenantId, sessionId }) => storeWith('first').verify(tenantId, sessionId)));
    expect(audits.map((audit) => [audit?.valid, audit?.events])).toEqual(all.map((_, index) => [true, 3 + (index % 3)]));
    const { rows } = await owner.query(`SELECT FROM event WHERE session_id = ANY ($1) AND data->>'reason' IS NOT NULL`, [
      all.map(({ sessionId }) => sessionId),
    ]);
    expect(rows).toHaveLength(0);
  });

  it('of two first appends one stores its key, and both processes continue with it', async () => {
    const of = ids();
    const stores = [storeWith('first'), storeWith('first')];
    const kinds = await Promise.all(stores.map((one) => one.append(append(of, 0, { events: numbered(1) }))));
    expect(kinds.map(({ kind }) => kind).toSorted()).toEqual(['appended', 'conflict']);
    for (const [index, one] of stores.entries()) appended(await one.append(append(of, 1 + index, { events: numbered(1) })));
    expect(await storeWith('first').verify(of.tenantId, of.sessionId)).toMatchObject({ valid: true, events: 3 });
  });

  it('a salt in the database does not confirm a guess', async () => {
    const of = ids();
    await store.events.append(append(of, 0, { events: [closed('4711')] }));
    const guess = `SELECT FROM event WHERE session_id = $1 AND digest = sha256(salt || '{"reason":"4711"}'::bytea)`;
    expect((await owner.query(guess, [of.sessionId])).rowCount).toBe(0);
  });

  it.each([
    ['changed', `to_json(overlay(data#>>'{}' placing 'AAAA' from 21))`],
    ['moved from another event', '(SELECT e.data FROM event e WHERE e.session_id = event.session_id AND e.seq = 1)'],
    ['replaced by plain content', `'{"reason":"number 2"}'`],
  ])('an encrypted event that was %s is found by the audit', async (_how, change) => {
    const of = ids();
    await store.events.append(append(of, 0, { events: numbered(3) }));
    await owner.query(`UPDATE event SET data = ${change} WHERE session_id = $1 AND seq = 2`, [of.sessionId]);
    expect(await store.events.verify(of.tenantId, of.sessionId)).toMatchObject({ valid: false, firstInvalidSeq: 2 });
  });

  it('without the key, reading is rejected by its name, and nothing is lost', async () => {
    const of = ids();
    await store.events.append(append(of, 0, { events: [closed('kept')], summary: { title: 'kept title' } }));
    const rejection = { code: 'key_unavailable', details: { keyId: 'first' } };
    for (const encryption of [encryptionWith('other'), NO_ENCRYPTION]) {
      const other = new PostgresEventStore(store.database, encryption);
      await expect(other.load(of.tenantId, of.sessionId)).rejects.toMatchObject(rejection);
      await expect(other.verify(of.tenantId, of.sessionId)).rejects.toMatchObject(rejection);
      await expect(new PostgresSessionList(store.database, encryption).find(of.tenantId, of.sessionId)).rejects.toMatchObject(rejection);
    }
    await expect(storeWith('other').append(append(of, 1, { events: [closed('more')] }))).rejects.toMatchObject(rejection);
    expect(await storeWith('other', 'first').load(of.tenantId, of.sessionId)).toHaveLength(1);
  });

  it('switched on and off, a log is partly encrypted and reads as one', async () => {
    const of = ids();
    const plain = new PostgresEventStore(store.database, NO_ENCRYPTION);
    appended(await plain.append(append(of, 0, { events: [closed('one')], summary: { title: '\u0004a title with a mark' } })));
    expect(await store.sessions.find(of.tenantId, of.sessionId)).toMatchObject({ title: '\u0004a title with a mark' });
    appended(await storeWith('first').append(append(of, 1, { events: [closed('two')] })));
    appended(await plain.append(append(of, 2, { events: [closed('three')] })));
    expect((await storeWith('first').load(of.tenantId, of.sessionId)).map(({ data }) => data)).toEqual(['one', 'two', 'three'].map((reason) => ({ reason })));
    expect(await storeWith('first').verify(of.tenantId, of.sessionId)).toMatchObject({ valid: true, events: 3 });
  });

  it('an erasure takes the data key, and what was read before it reads as erased', async () => {
    const of = ids();
    await store.events.append(append(of, 0, { events: [closed('gone')] }));
    const event = {
      erasureId: randomUUID(),
      scope: 'session',
      reason: null,
      bytes: 1,
      blobs: 0,
      isComplete: true,
      events: [{ seq: 1, data: { reason: null } }],
    };
    const erased = append(of, 1, { events: [{ type: 'content.erased', data: event } as never], erasedFiles: null });
    appended(await store.events.append(erased));
    expect((await owner.query('SELECT FROM data_key WHERE id = $1', [of.sessionId])).rowCount).toBe(0);
    expect((await storeWith('first').load(of.tenantId, of.sessionId))[0]).toMatchObject({ erased: true, data: { reason: null } });
    expect(await storeWith('first').verify(of.tenantId, of.sessionId)).toMatchObject({ valid: true, erased: 1 });
  });

  it('rotation: all data keys are wrapped with the new key, a repeat has nothing to do, and the old one is no longer needed', async () => {
    const of = ids();
    await store.events.append(append(of, 0, { events: [closed('before')] }));
    const before = await rewrapKeys(store.database, new LocalKeyRing(keysOf('second')), 3);
    expect(before).toMatchObject({ rewrapped: 0, missing: ['first'] });
    const ring = new LocalKeyRing(keysOf('second', 'first'));
    const done = await rewrapKeys(store.database, ring, 3);
    expect(done).toEqual({ rewrapped: expect.any(Number), missing: [], kept: 0, current: 'second' });
    expect(done.rewrapped).toBeGreaterThan(20);
    expect(await rewrapKeys(store.database, ring, 3)).toMatchObject({ rewrapped: 0 });
    expect(await storeWith('second').load(of.tenantId, of.sessionId)).toHaveLength(1);
    await expect(storeWith('first').load(of.tenantId, of.sessionId)).rejects.toMatchObject({ details: { keyId: 'second' } });
  });
});

describe('files with encryption', () => {
  let blobs: PostgresBlobs;
  let tenantId: string;
  const open = (...names: readonly string[]): PostgresBlobs =>
    new PostgresBlobs({ url: store.urls.appUrl, timeoutMs: 60_000, applicationName: 'encrypted blobs' }, encryptionWith(...names));

  beforeAll(async () => {
    blobs = open('first');
    await makeTenant(store.urls.appUrl, 'files');
    tenantId = (await owner.query<{ tenant_id: string }>('SELECT tenant_id FROM tenant')).rows[0]!.tenant_id;
  });
  afterAll(() => blobs.close());

  it.each([0, 1, 512 * 1024 - 28, 512 * 1024, 2_000_000])('%d bytes are stored encrypted, once, and returned unchanged', async (length) => {
    const [one, other] = [randomUUID(), randomUUID()];
    const content = randomBytes(length);
    const { sha256, bytes } = await blobs.put(tenantId, one, 'image/png', content);
    await blobs.put(tenantId, other, 'image/png', content);
    const found = (await blobs.get(tenantId, other, [sha256])).get(sha256)!;
    expect([bytes, found.bytes, Buffer.from(found.content).equals(content), await blobs.size(tenantId, one)]).toEqual([length, length, true, length]);
    const { rows } = await owner.query<{ bytes: Buffer }>('SELECT bytes FROM blob WHERE sha256 = $1', [Buffer.from(sha256, 'hex')]);
    expect([rows.length, length < 16 || !rows[0]!.bytes.includes(content.subarray(0, 16))]).toEqual([1, true]);
  });

  it('an altered file is never returned, and without its key it is rejected by the name of the key', async () => {
    const session = randomUUID();
    const { sha256 } = await blobs.put(tenantId, session, 'image/png', randomBytes(100));
    const other = open('other');
    await expect(other.get(tenantId, session, [sha256])).rejects.toMatchObject({ code: 'key_unavailable', details: { keyId: 'first' } });
    await other.close();
    await owner.query('UPDATE blob SET bytes = set_byte(bytes, 50, get_byte(bytes, 50) # 1) WHERE sha256 = $1', [Buffer.from(sha256, 'hex')]);
    await expect(blobs.get(tenantId, session, [sha256])).rejects.toThrow(/do not match their SHA-256/);
  });
});
