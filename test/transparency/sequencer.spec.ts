import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Client } from 'pg';
import { connect } from '../../src/platform/postgres/connect.js';
import { readCheckpoint } from '../../packages/proofs/checkpoint.js';
import { openNote, readVerifierKey } from '../../packages/proofs/note.js';
import { consistencyRanges, hashesOf, inclusionRanges, tilesFor } from '../../packages/proofs/proofs.js';
import { equal } from '../../packages/proofs/tree.js';
import { isConsistent, rootByInclusion } from '../../packages/proofs/verify.js';
import { append, ids, numbered } from '../support/appends.js';
import { postgresStore, type PostgresStore } from '../support/postgres-store.js';
import { until } from '../support/until.js';
import { cryptography, expectedLeaves, rootHex, sequencer } from './sequencing.js';

let store: PostgresStore;
let owner: Client;
let opened: ReturnType<typeof sequencer>[] = [];

beforeEach(async () => {
  store = await postgresStore();
  owner = await connect(store.urls.ownerUrl, 60_000);
});
afterEach(async () => {
  for (const { worker, log } of opened) {
    await worker.stop();
    await log.close();
  }
  opened = [];
  await owner.end();
  await store.close();
});

function open(settings: Parameters<typeof sequencer>[1] = {}) {
  const made = sequencer(store.urls.appUrl, settings);
  opened.push(made);
  return made;
}

const write = async (events: number): Promise<void> => {
  const of = ids();
  await store.events.append(append(of, 0, { events: numbered(events) }));
};

/** Every event is in the tree once, in feed order, and the checkpoint is the root over them. */
async function expectWhole(log: ReturnType<typeof sequencer>['log'], size?: number): Promise<void> {
  const leaves = await expectedLeaves(owner);
  const head = (await log.head())!;
  expect(head.size).toBe(size ?? leaves.length);
  expect(Buffer.from(head.root).toString('hex')).toBe(rootHex(leaves.slice(0, head.size)));
  const runs = await log.runs(0, 1_000_000);
  expect(runs.flatMap(({ hashes }) => hashes.map((hash) => Buffer.from(hash).toString('hex')))).toEqual(
    leaves.slice(0, head.size).map((hash) => Buffer.from(hash).toString('hex')),
  );
}

/** Until everything is in the tree: a transaction in another database of the server, such as that of another suite, delays it. */
async function sequenced({ worker, log }: ReturnType<typeof sequencer>): Promise<void> {
  const { rows } = await owner.query<{ events: number }>('SELECT count(*)::int AS events FROM event');
  await until('every event is in the tree', async () => {
    await worker.sequence();
    return (await log.head())?.size === rows[0]!.events;
  });
}

describe('the sequencer', () => {
  it('signs a checkpoint of the empty tree, then adds every event once, in feed order', async () => {
    const process = open({ TLOG_ORIGIN: 'example.com/log' });
    const { worker, log } = process;
    expect(await worker.sequence()).toBe(0);
    await expectWhole(log, 0);
    await write(3);
    await write(2);
    await sequenced(process);
    await expectWhole(log);
    expect(await worker.sequence()).toBe(0);
    await write(1);
    await sequenced(process);
    await expectWhole(log);
    const head = (await log.head())!;
    const key = readVerifierKey(cryptography.sha256, head.verifier)!;
    expect(readCheckpoint(openNote(cryptography.sha256, head.note, key, cryptography.verify)!)).toEqual({
      origin: 'example.com/log',
      size: 6,
      root: new Uint8Array(head.root),
    });
  });

  it('proves every leaf, and every checkpoint against an earlier one, from tiles', async () => {
    const process = open();
    const { log } = process;
    const heads = [];
    for (const events of [1, 254, 1, 1, 300, 411]) {
      await write(events);
      await sequenced(process);
      heads.push((await log.head())!);
    }
    await expectWhole(log);
    const leaves = await expectedLeaves(owner);
    const last = heads.at(-1)!;
    for (const index of [0, 1, 254, 255, 256, 511, 512, 767, 768, last.size - 1]) {
      const ranges = inclusionRanges(index, last.size);
      const proof = hashesOf(cryptography.sha256, ranges, await log.tiles(tilesFor(ranges), last.size));
      const root = rootByInclusion(cryptography.sha256, index, last.size, leaves[index]!, proof);
      expect({ index, leads: root !== null && equal(root, last.root) }).toEqual({ index, leads: true });
    }
    for (const head of heads) {
      const ranges = consistencyRanges(head.size, last.size);
      const proof = hashesOf(cryptography.sha256, ranges, await log.tiles(tilesFor(ranges), last.size));
      expect(isConsistent(cryptography.sha256, head, last, proof)).toBe(true);
    }
  });

  it('does not pass an event of a transaction that commits late', async () => {
    const process = open();
    const { worker, log } = process;
    await write(1);
    const late = await connect(store.urls.ownerUrl, 60_000);
    try {
      await late.query('BEGIN');
      const session = randomUUID();
      await late.query(
        `SELECT append_events($1, $2, 0, $3, '\\x00', '{}', ARRAY[gen_random_uuid()], ARRAY['session.closed'], ARRAY[1], ARRAY['{"reason":null}'], '[]', '{}', NULL, NULL, $1, NULL, 'm', 'idle', 0, NULL)`,
        [randomUUID(), session, randomUUID()],
      );
      await write(2); // with a higher transaction id, committed first
      await until('the first event is in the tree', async () => (await worker.sequence()) === 1);
      expect(await worker.sequence()).toBe(0);
      await late.query('COMMIT');
      await sequenced(process);
    } finally {
      await late.end();
    }
    await expectWhole(log);
  });

  it('leaves each batch to one of several processes', async () => {
    const processes = [open({ TLOG_LEASE_MS: 40 }), open({ TLOG_LEASE_MS: 40 }), open({ TLOG_LEASE_MS: 40 })];
    for (const { worker } of processes) worker.start();
    for (let round = 0; round < 60; round += 1) {
      await Promise.all([write(3), write(1), write(7)]);
      for (const { live } of processes) live.announce();
    }
    await until('all leaves', async () => {
      for (const { live } of processes) live.announce();
      return (await processes[0]!.log.head())?.size === 660;
    });
    await expectWhole(processes[0]!.log);
  });

  it('writes nothing after another process has taken the lease', async () => {
    const [frozen, next] = [open({ TLOG_LEASE_MS: 1 }), open()];
    await write(3);
    await sequenced(frozen);
    await write(2);
    // The process stops between reading and writing; its lease ends, and another one takes it.
    const extend = frozen.log.extend.bind(frozen.log);
    let taken = 0;
    frozen.log.extend = async (...given) => {
      taken += 1;
      await sequenced(next);
      return extend(...given);
    };
    await until('the process has events to add', async () => {
      expect(await frozen.worker.sequence()).toBe(0);
      return taken > 0;
    });
    await expectWhole(next.log);
    frozen.log.extend = extend;
    await write(1);
    expect(await frozen.worker.sequence()).toBe(0);
    await sequenced(next);
    await expectWhole(next.log);
  });

  it('continues where a process was killed', async () => {
    const [killed, next] = [open({ TLOG_LEASE_MS: 1 }), open()];
    await write(300);
    await sequenced(killed);
    await write(300);
    await sequenced(next);
    await expectWhole(next.log);
  });

  it('does not continue from a transaction of another server, after which the events of this one would be left out', async () => {
    const { log } = open();
    await write(1);
    await expect(log.pending({ transaction: '9000000000000', position: '1' }, 10)).rejects.toThrow('a transaction of the future');
  });

  it('sends no statement while nothing happens, but to keep the lease', async () => {
    const { worker, log, live } = open({ TLOG_INTERVAL_MS: 1, TLOG_LEASE_MS: 3_600_000 });
    let reads = 0;
    const pending = log.pending.bind(log);
    log.pending = async (...given) => {
      const answer = await pending(...given);
      reads += 1;
      return answer;
    };
    worker.start();
    await until('the first checkpoint', async () => reads === 1 && (await log.head()) !== null);
    await write(1); // not announced
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(reads).toBe(1);
    await until('the leaf', async () => {
      live.announce();
      return (await log.head())?.size === 1;
    });
    expect(reads).toBeGreaterThan(1);
  });

  it('keeps its name and key, and signs with its own key when there is none', async () => {
    const [one, other] = [open(), open()];
    await one.worker.sequence();
    const { verifier } = (await one.log.head())!;
    await one.worker.stop();
    await write(1);
    await sequenced(other);
    expect((await other.log.head())!.verifier).toBe(verifier);
    expect(verifier).toMatch(/^verbatim-[0-9a-f]{8}\+/);
    const renamed = open({ TLOG_ORIGIN: 'another' });
    await other.worker.stop();
    await write(1);
    await expect(sequenced(renamed)).rejects.toThrow('TLOG_ORIGIN is another');
  });

  it.each(['tlog_run', 'tlog_tile', 'tlog_checkpoint'])('cannot change %s, not even as the owner', async (table) => {
    await write(256);
    await sequenced(open());
    for (const statement of [
      `DELETE FROM ${table}`,
      `UPDATE ${table} SET ${table === 'tlog_run' ? 'first_seq = 9' : 'root = root'}`,
      `TRUNCATE ${table} CASCADE`,
    ]) {
      await expect(owner.query(statement)).rejects.toThrow('immutable');
      const app = await connect(store.urls.appUrl, 60_000);
      await expect(app.query(statement)).rejects.toThrow('permission denied');
      await app.end();
    }
  });
});
