import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import type { Client } from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import { isCommitmentTo } from '../../packages/proofs/verification/chain.js';
import type { Audit } from '../../src/ports/index.js';
import { append, erasureOf, ids, numbered, type Ids } from '../support/appends.js';
import { postgresStore, type PostgresStore } from '../support/postgres-store.js';

/** An attacker with all rights has dropped the triggers and changes the log. The hash chain must reveal the first changed event. */
let store: PostgresStore;
let owner: Client;

beforeAll(async () => {
  store = await postgresStore();
  owner = await connect(store.urls.ownerUrl, 60_000);
  await owner.query('DROP TRIGGER event_immutable ON event; DROP TRIGGER event_no_truncate ON event; DROP TRIGGER stream_version_increases ON stream');
});
afterAll(async () => {
  await owner.end();
  await store.close();
});

const LENGTH = 9;

async function written(): Promise<Ids> {
  const of = ids();
  for (let version = 0; version < LENGTH; version += 3) await store.events.append(append(of, version, { events: numbered(3) }));
  return of;
}

async function after(of: Ids, sql: string): Promise<Audit | null> {
  await owner.query(sql, [of.sessionId]);
  return store.events.verify(of.tenantId, of.sessionId);
}

const CHANGES: readonly (readonly [what: string, set: string])[] = [
  ['a word in the data', `data = replace(data::text, 'number', 'Number')::json`],
  ['a space in the data', `data = (data::text || ' ')::json`],
  ['data and digest', `data = '{}', digest = sha256(salt || '{}'::bytea)`],
  ['the salt', `salt = uuid_send(gen_random_uuid())`],
  [
    'salt and digest',
    `salt = '\\x000102030405060708090a0b0c0d0e0f', digest = sha256('\\x000102030405060708090a0b0c0d0e0f'::bytea || convert_to(data::text, 'UTF8'))`,
  ],
  ['the digest', `digest = sha256('x')`],
  ['the hash', `hash = sha256('x')`],
  ['the type', `type = 'session.reopened'`],
  ['the actor', `actor = '{"kind":"user","id":"another"}'`],
  ['the time', `recorded_at = recorded_at + interval '1 millisecond'`],
  ['the id', `event_id = gen_random_uuid()`],
  ['the command', `command_id = gen_random_uuid()`],
  ['the schema version', `schema_version = 2`],
];

for (const [what, set] of CHANGES) {
  it(`finds the event with a change of ${what}`, async () => {
    for (const seq of [1, 5, LENGTH]) {
      const audit = await after(await written(), `UPDATE event SET ${set} WHERE session_id = $1 AND seq = ${seq}`);
      expect(audit).toMatchObject({ events: LENGTH, valid: false, firstInvalidSeq: seq });
    }
  });
}

it('finds an event that was given to another tenant', async () => {
  for (const seq of [1, 5, LENGTH]) {
    const audit = await after(await written(), `UPDATE event SET tenant_id = gen_random_uuid() WHERE session_id = $1 AND seq = ${seq}`);
    expect(audit).toMatchObject({ events: LENGTH - 1, valid: false, firstInvalidSeq: seq });
  }
});

it('finds a deleted event, whether the first or the last', async () => {
  for (const seq of [1, 5, LENGTH]) {
    const audit = await after(await written(), `DELETE FROM event WHERE session_id = $1 AND seq = ${seq}`);
    expect(audit).toMatchObject({ events: LENGTH - 1, valid: false, firstInvalidSeq: seq });
  }
});

it('finds a deleted event when later ones are renumbered', async () => {
  const of = await written();
  await owner.query('DELETE FROM event WHERE session_id = $1 AND seq = 4', [of.sessionId]);
  for (let seq = 5; seq <= LENGTH; seq += 1) await owner.query(`UPDATE event SET seq = ${seq - 1} WHERE session_id = $1 AND seq = ${seq}`, [of.sessionId]);
  expect(await store.events.verify(of.tenantId, of.sessionId)).toMatchObject({ valid: false, firstInvalidSeq: 4 });
});

it('finds two swapped events', async () => {
  const audit = await after(await written(), 'UPDATE event SET seq = CASE seq WHEN 3 THEN 60 ELSE 3 END WHERE session_id = $1 AND seq IN (3, 6)');
  expect(audit).toMatchObject({ valid: false, firstInvalidSeq: 3 });
});

it('finds an event inserted at the end', async () => {
  const audit = await after(
    await written(),
    `INSERT INTO event (session_id, seq, tenant_id, event_id, command_id, type, schema_version, actor, data, salt, digest, hash, recorded_at)
     SELECT session_id, ${LENGTH + 1}, tenant_id, gen_random_uuid(), command_id, type, schema_version, actor, data, salt, digest,
       chain_hash(hash, session_id, ${LENGTH + 1}, tenant_id, event_id, command_id, schema_version, recorded_at, digest, actor::text, type), recorded_at
     FROM event WHERE session_id = $1 AND seq = ${LENGTH}`,
  );
  expect(audit).toMatchObject({ events: LENGTH + 1, valid: false, firstInvalidSeq: LENGTH + 1 });
});

it('finds a last event that was replaced, with a matching hash', async () => {
  const audit = await after(
    await written(),
    `WITH forged AS (
       SELECT e.session_id, e.seq, '{"reason":"forged"}' AS data, sha256(e.salt || '{"reason":"forged"}'::bytea) AS digest,
         chain_hash(p.hash, e.session_id, e.seq, e.tenant_id, e.event_id, e.command_id, e.schema_version, e.recorded_at, sha256(e.salt || '{"reason":"forged"}'::bytea), e.actor::text, e.type) AS hash
       FROM event e JOIN event p ON p.session_id = e.session_id AND p.seq = e.seq - 1 WHERE e.session_id = $1 AND e.seq = ${LENGTH})
     UPDATE event e SET data = f.data::json, digest = f.digest, hash = f.hash FROM forged f WHERE e.session_id = f.session_id AND e.seq = f.seq`,
  );
  expect(audit).toMatchObject({ events: LENGTH, valid: false, firstInvalidSeq: LENGTH });
});

it('finds a head that was set back', async () => {
  const audit = await after(await written(), `UPDATE stream SET version = ${LENGTH - 1} WHERE session_id = $1`);
  expect(audit).toMatchObject({ events: LENGTH, valid: false, firstInvalidSeq: LENGTH });
});

it('does not confirm a guess of the content to someone who has only digests', async () => {
  const sessions = [(await written()).sessionId, (await written()).sessionId];
  const events = await owner.query<{ guessed: boolean; digests: number }>(
    `SELECT bool_or(digest = sha256(convert_to(data::text, 'UTF8'))) AS guessed, count(DISTINCT digest)::int AS digests
     FROM event WHERE session_id = ANY ($1) GROUP BY data::text`,
    [sessions],
  );
  // Three contents, each stored six times.
  expect(events.rows).toEqual(Array.from({ length: 3 }, () => ({ guessed: false, digests: 6 })));
  const receipts = await owner.query<{ digests: number }>('SELECT count(DISTINCT request_digest)::int AS digests FROM receipt WHERE session_id = ANY ($1)', [
    sessions,
  ]);
  expect(receipts.rows).toEqual([{ digests: 6 }]); // of six equal requests
});

it('finds erased content that was put back', async () => {
  const of = await written();
  const { rows } = await owner.query('SELECT data::text AS data, salt FROM event WHERE session_id = $1 AND seq = 2', [of.sessionId]);
  await store.events.append(append(of, LENGTH, { events: [erasureOf([{ seq: 2, data: { reason: null } }])], erasedFiles: null }));
  expect(await store.events.verify(of.tenantId, of.sessionId)).toMatchObject({ valid: true, erased: 1 });
  await owner.query('UPDATE event SET data = $2, salt = $3 WHERE session_id = $1 AND seq = 2', [of.sessionId, rows[0].data, rows[0].salt]);
  expect(await store.events.verify(of.tenantId, of.sessionId)).toMatchObject({ valid: false, firstInvalidSeq: 2 });
});

it('takes no part of the content for a part of the salt', () => {
  const [salt, content] = [Buffer.alloc(16, 1), Buffer.from('{"reason":"1"}')];
  const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
  const digest = sha256(Buffer.concat([salt, content]));
  expect(isCommitmentTo(sha256, content, salt, digest)).toBe(true);
  expect(isCommitmentTo(sha256, content.subarray(1), Buffer.concat([salt, content.subarray(0, 1)]), digest)).toBe(false);
});

it('reports other sessions as valid', async () => {
  const [touched, untouched] = [await written(), await written()];
  expect(await after(touched, `UPDATE event SET type = 'x' WHERE session_id = $1`)).toMatchObject({ valid: false, firstInvalidSeq: 1 });
  expect(await store.events.verify(untouched.tenantId, untouched.sessionId)).toMatchObject({ events: LENGTH, valid: true });
});

it('does not rely on functions of the database', async () => {
  const of = await written();
  const { rows } = await owner.query<{ definition: string }>(`SELECT pg_get_functiondef('chain_hash'::regproc) AS definition`);
  await owner.query(rows[0]!.definition.replace(/AS \$function\$[^]*\$function\$/, `AS $function$ SELECT sha256('anything') $function$`));
  expect(await store.events.verify(of.tenantId, of.sessionId)).toMatchObject({ events: LENGTH, valid: true });
  await owner.query(rows[0]!.definition);
});
