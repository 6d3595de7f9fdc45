import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Append, AppendOutcome } from '../../src/ports/index.js';
import { append, ids, job, numbered, type Ids } from '../support/appends.js';
import { postgresStore, type PostgresStore } from '../support/postgres-store.js';

const CALLERS = 16;
const ROUNDS = 20;

let store: PostgresStore;

beforeAll(async () => {
  store = await postgresStore({ poolSize: CALLERS });
  await Promise.all(Array.from({ length: CALLERS }, () => store.database.run((client) => client.$queryRaw`SELECT pg_sleep(0.05)::text`))); // every connection is open
});
afterAll(() => store.close());

/** All at once, from one line. */
function race(appends: readonly Append[]): Promise<readonly AppendOutcome[]> {
  return Promise.all(appends.map((given) => store.events.append(given)));
}

function count(outcomes: readonly AppendOutcome[], kind: AppendOutcome['kind']): number {
  return outcomes.filter((outcome) => outcome.kind === kind).length;
}

async function seqs(of: Ids): Promise<readonly number[]> {
  expect(await store.events.verify(of.tenantId, of.sessionId)).toMatchObject({ valid: true });
  return (await store.events.load(of.tenantId, of.sessionId)).map((event) => event.seq);
}

const upTo = (last: number): readonly number[] => Array.from({ length: last }, (_, index) => index + 1);

it('accepts one append per version', async () => {
  const of = ids();
  for (let version = 0; version < ROUNDS; version += 1) {
    const outcomes = await race(Array.from({ length: CALLERS }, () => append(of, version)));
    expect(count(outcomes, 'appended')).toBe(1);
    for (const outcome of outcomes) if (outcome.kind !== 'appended') expect(outcome).toEqual({ kind: 'conflict', version: version + 1 });
  }
  expect(await seqs(of)).toEqual(upTo(ROUNDS));
});

it('creates a session once per tenant', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const sessionId = randomUUID();
    const tenants = [randomUUID(), randomUUID()] as const;
    const appends = Array.from({ length: CALLERS }, (_, index) => append({ sessionId, tenantId: tenants[index % 2 === 0 ? 0 : 1] }, 0));
    const outcomes = await race(appends);
    expect(count(outcomes, 'appended')).toBe(2);
    expect(count(outcomes, 'conflict')).toBe(CALLERS - 2);
    for (const tenantId of tenants) expect(await seqs({ tenantId, sessionId })).toEqual([1]);
  }
});

it('executes a command once among concurrent copies and competing commands', async () => {
  const of = ids();
  for (let version = 0; version < ROUNDS * 2; version += 2) {
    const rivals = Array.from({ length: 4 }, () => append(of, version, { events: numbered(2), jobs: [job(of)] }));
    const copies = rivals.flatMap((rival) => Array.from({ length: 4 }, () => rival));
    const outcomes = await race(copies);
    expect(count(outcomes, 'appended')).toBe(1);
    const winner = copies[outcomes.findIndex((outcome) => outcome.kind === 'appended')]!;
    outcomes.forEach((outcome, index) => {
      if (outcome.kind === 'appended') return;
      const expected =
        copies[index] === winner ? { kind: 'duplicate', firstSeq: version + 1, lastSeq: version + 2 } : { kind: 'conflict', version: version + 2 };
      expect(outcome).toEqual(expected);
    });
  }
  expect(await seqs(of)).toEqual(upTo(ROUNDS * 2));
  expect((await store.outbox.lease(1_000, 1_000, 60_000)).jobs).toHaveLength(ROUNDS);
});

it('executes a command in one session when it is sent to many', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const tenantId = randomUUID();
    const command = append({ tenantId, sessionId: randomUUID() }, 0);
    const outcomes = await race(Array.from({ length: CALLERS }, () => ({ ...command, sessionId: randomUUID() })));
    expect(count(outcomes, 'appended')).toBe(1);
    expect(count(outcomes, 'key_reused')).toBe(CALLERS - 1);
  }
});

it('loses nothing when conflicting callers retry', async () => {
  const of = ids();
  const EACH = 15;
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      let version = 0;
      for (let done = 0; done < EACH;) {
        const outcome = await store.events.append(append(of, version));
        if (outcome.kind === 'appended') {
          version = outcome.events[0]!.seq;
          done += 1;
        } else if (outcome.kind === 'conflict') version = outcome.version;
        else throw new Error(`unexpected ${outcome.kind}`);
      }
    }),
  );
  expect(await seqs(of)).toEqual(upTo(CALLERS * EACH));
});
