import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { Client } from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import type { NewEvent } from '../../packages/protocol/events/events.js';
import { skeletonData } from '../../packages/protocol/events/skeleton.js';
import { EVENTS } from '../../packages/protocol/events/events.js';
import { ERASABLE, someEvent } from '../support/any-event-data.js';
import { append, appended, erasureOf, ids, type Ids } from '../support/appends.js';
import { postgresStore, type PostgresStore } from '../support/postgres-store.js';
import { runs } from '../support/property-runs.js';
import { encryptionWith } from '../support/encryption.js';

/** What an erasure may leave of an event is decided in the database as it is in the server, against a caller with the rights of the application. */
let store: PostgresStore;
let owner: Client;

beforeAll(async () => {
  store = await postgresStore();
  owner = await connect(store.urls.ownerUrl, 60_000);
  await owner.query('ALTER TABLE event DISABLE TRIGGER event_immutable');
});
afterAll(async () => {
  await owner.end();
  await store.close();
});

const events = someEvent();
/** Of types whose data the append itself does not read; the data is an object, or encrypted. */
const storable = events.filter(
  ([type, data]) => !/^(?:session[.](?:created|configured)|schedule[.]\w+)$/.test(type) && typeof data === 'object' && data !== null,
);

async function recorded(type: string, data: unknown, by = store): Promise<Ids> {
  const of = ids();
  appended(await by.events.append(append(of, 0, { events: [{ type, data } as unknown as NewEvent] })));
  return of;
}

const erase = (of: Ids, left: unknown, by = store): Promise<unknown> =>
  by.events.append(append(of, 1, { events: [erasureOf([{ seq: 1, data: left as object }])], erasedFiles: null }));

describe('skeletons in the database', () => {
  it('have the rules of the server', async () => {
    const { rows } = await owner.query('SELECT skeleton_rules() AS rules');
    const rules = Object.fromEntries(ERASABLE.map((type) => [type, { members: EVENTS[type].skeleton }]));
    expect(rows[0].rules).toEqual(JSON.parse(JSON.stringify(rules)));
  });

  it('are those of the server, for any data', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(events, { minLength: 50, maxLength: 50 }), async (given) => {
        const statement = `SELECT array_agg(is_skeleton_of(skeleton_rules()->type, data::json, skeleton::jsonb) ORDER BY ordinal) AS "isSame",
            array_agg(is_skeleton_of(skeleton_rules()->type, data::json, skeleton::jsonb || '{"more":1}') ORDER BY ordinal) AS "isMore"
          FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS e(type, data, skeleton, ordinal)`;
        const { rows } = await owner.query(statement, [
          given.map(([type]) => type),
          given.map(([, data]) => JSON.stringify(data)),
          given.map(([type, data]) => JSON.stringify(skeletonData(type, data))),
        ]);
        expect(given.filter((_, index) => rows[0].isSame[index] !== true || rows[0].isMore[index] !== false)).toEqual([]);
      }),
      runs(20),
    );
  });

  it('are all that the application can put instead of an event', async () => {
    await fc.assert(
      fc.asyncProperty(storable, async ([type, data]) => {
        const skeleton = skeletonData(type, data);
        fc.pre(JSON.stringify(data) !== JSON.stringify(skeleton));
        const of = await recorded(type, data);
        for (const forged of [data, { ...(skeleton as object), text: 'forged' }, skeletonData(type, { turnId: 'another', uuid: 'another' })]) {
          if (isDeepStrictEqual(forged, skeleton)) continue;
          await expect(erase(of, forged)).rejects.toThrow(/of 1 events that the erasure names, 0 can be erased|unsupported Unicode/);
        }
        expect(await store.events.verify(of.tenantId, of.sessionId)).toMatchObject({ valid: true, events: 1, erased: 0 });
        await erase(of, skeleton);
        expect(await store.events.verify(of.tenantId, of.sessionId)).toMatchObject({ valid: true, events: 2, erased: 1 });
        const [event] = await store.events.load(of.tenantId, of.sessionId);
        expect(event).toMatchObject({ data: skeleton, erased: true });
      }),
      runs(15),
    );
  });

  it('that another writer has put there are found, and not shown', async () => {
    await fc.assert(
      fc.asyncProperty(storable, async ([type, data]) => {
        const skeleton = skeletonData(type, data);
        fc.pre(JSON.stringify(data) !== JSON.stringify(skeleton));
        const of = await recorded(type, data);
        await erase(of, skeleton);
        await owner.query('UPDATE event SET data = $2 WHERE session_id = $1 AND seq = 1', [of.sessionId, JSON.stringify(data)]);
        expect(await store.events.verify(of.tenantId, of.sessionId)).toMatchObject({ valid: false, firstInvalidSeq: 1 });
      }),
      runs(40),
    );
  });

  it('exist for no event that has no content', async () => {
    for (const data of [{ turnId: 't' }, {}]) await expect(erase(await recorded('turn.interrupted', { turnId: 't' }), data)).rejects.toThrow('0 can be erased');
  });

  it('of encrypted events, which the database cannot read, are skeletons of something', async () => {
    const encrypted = await postgresStore({ encryption: encryptionWith('one') });
    try {
      const of = await recorded('session.closed', { reason: 'a secret' }, encrypted);
      for (const forged of [{ reason: 'forged' }, { reason: null, text: 'forged' }, {}]) {
        await expect(erase(of, forged, encrypted)).rejects.toThrow('0 can be erased');
      }
      await erase(of, { reason: null }, encrypted);
      expect(await encrypted.events.verify(of.tenantId, of.sessionId)).toMatchObject({ valid: true, erased: 1 });
    } finally {
      await encrypted.close();
    }
  });
});
