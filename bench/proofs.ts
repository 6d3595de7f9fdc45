/** The transparency log: how fast events are added to it, what that costs the appends, and a proof in a large log. */
import { createHash, randomUUID } from 'node:crypto';
import { LocalFanout } from '../src/platform/live/local-fanout.js';
import { withConnection } from '../src/platform/postgres/connect.js';
import { PostgresEventStore } from '../src/engine/store/postgres-event-store.js';
import { Database } from '../src/platform/postgres/store/prisma.js';
import { NodeCryptography } from '../src/platform/system/node-cryptography.js';
import { PrometheusTelemetry } from '../src/platform/telemetry/prometheus-telemetry.js';
import { PostgresTransparencyLog } from '../src/features/proofs/log-store/postgres-transparency-log.js';
import { EVERY_SESSION } from '../src/ports/index.js';
import { GrowingTree, type FullTile } from '../packages/proofs/growing-tree.js';
import { inclusionRanges, tilesFor } from '../packages/proofs/proofs.js';
import { TransparencyQueries } from '../src/engine/audit/transparency-queries.js';
import { CheckpointSigner } from '../src/features/proofs/checkpoint-signer.js';
import { Sequencer } from '../src/features/proofs/sequencer.js';
import { append, closed, ids, numbered } from '../test/support/appends.js';
import type { TestDatabase } from '../test/support/database.js';
import { figures, percentile, table } from './report.js';
import { NO_ENCRYPTION, encryptionWith } from '../test/support/encryption.js';
import { ONE_POSTGRES } from '../test/support/one-postgres.js';

const EVENTS = 200_000;
const ROUNDS = 9;
const CALLERS = 16;
const APPENDS = 60;
const PROOFS = 300;
/** Leaves of the large log; its hashes are made up. */
const LEAVES = Number(process.env['LEAVES'] ?? 1_000_000);
const BATCH = 32 * 256;

const cryptography = new NodeCryptography();
const SETTINGS = { TLOG_INTERVAL_MS: 1_000, TLOG_LEASE_MS: 600_000, TLOG_KEY: undefined, TLOG_ORIGIN: 'bench' };

export async function benchProofs(fresh: () => Promise<TestDatabase>): Promise<void> {
  for (const measure of [sequencing, appends, proofs]) {
    const [urls, second] = [await fresh(), await fresh()];
    const log = new PostgresTransparencyLog({ url: urls.appUrl, timeoutMs: 120_000, applicationName: 'verbatim bench' });
    await measure(urls, log, second);
    await log.close();
    await urls.drop();
    await second.drop();
  }
}

/** The price of encryption. */
export async function benchEncryption(fresh: () => Promise<TestDatabase>): Promise<void> {
  const urls = await fresh();
  await encryptedAppends(urls);
  await urls.drop();
}

function sequencerOf(log: PostgresTransparencyLog, fanout = new LocalFanout(() => undefined)): Sequencer {
  const live = { subscribe: (channel: string, listener: () => void) => fanout.subscribe(channel, listener) };
  return new Sequencer(
    log,
    log.leases,
    new CheckpointSigner(log, cryptography, SETTINGS),
    cryptography,
    live as never,
    new PrometheusTelemetry(),
    ONE_POSTGRES,
    SETTINGS,
  );
}

/** Events of sessions with four each, all waiting. */
async function sequencing(urls: TestDatabase, log: PostgresTransparencyLog): Promise<void> {
  await withConnection(urls.ownerUrl, 600_000, async (client) => {
    await client.query(
      `INSERT INTO event (session_id, seq, tenant_id, event_id, command_id, type, schema_version, actor, data, salt, digest, hash, recorded_at)
       SELECT s.id, n, s.id, gen_random_uuid(), gen_random_uuid(), 'session.closed', 1, '{}', '{"reason":"a reason of some length"}', uuid_send(gen_random_uuid()),
         sha256(uuid_send(s.id)), sha256(uuid_send(gen_random_uuid())), now()
       FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, ${EVENTS / 4})) s, generate_series(1, 4) AS n`,
    );
    await client.query('VACUUM ANALYZE event');
  });
  const sequencer = sequencerOf(log);
  const start = performance.now();
  const cpu = process.cpuUsage();
  let added = 0;
  while (added < EVENTS) added += await sequencer.sequence();
  const seconds = (performance.now() - start) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  const { size } = (await log.head())!;
  await sequencer.stop();
  table('Transparency log: events added', [
    [`${size.toLocaleString('en')} events, in ${seconds.toFixed(1)} s`, `${(size / seconds).toFixed(0)}/s`, `${((user + system) / 1e6).toFixed(1)} s CPU`, ''],
  ]);
}

/** Digests of the data alone, as they were before they were commitments. */
async function withoutSalts({ ownerUrl }: TestDatabase): Promise<void> {
  await withConnection(ownerUrl, 60_000, async (client) => {
    const { rows } = await client.query<{ definition: string }>(`SELECT pg_get_functiondef('append_events'::regproc) AS definition`);
    const constant = `'\\x00000000000000000000000000000000'::bytea`;
    const { definition } = rows[0]!;
    const plain = definition
      .replaceAll('uuid_send(gen_random_uuid())', constant)
      .replace("sha256(salts[i] || convert_to(p_data[i], 'UTF8'))", "sha256(convert_to(p_data[i], 'UTF8'))");
    if (plain.split(constant).length !== 3 || plain.includes('sha256(salts[i]'))
      throw new Error('append_events does not make its salts as this measurement expects');
    await client.query(plain);
  });
}

/** Appends with plain digests, with commitments, and with a sequencer in the same process besides, interleaved. */
async function appends(urls: TestDatabase, log: PostgresTransparencyLog, second: TestDatabase): Promise<void> {
  await withoutSalts(second);
  const open = (url: string) => new Database({ url, poolSize: CALLERS, timeoutMs: 60_000, applicationName: 'verbatim bench' });
  const [database, other] = [open(urls.appUrl), open(second.appUrl)];
  const [store, plain] = [new PostgresEventStore(database, NO_ENCRYPTION), new PostgresEventStore(other, NO_ENCRYPTION)];
  const fanout = new LocalFanout(() => undefined);
  const round = async (to = store): Promise<number> => {
    const start = performance.now();
    await Promise.all(
      Array.from({ length: CALLERS }, async () => {
        const of = ids();
        for (let version = 0; version < 3 * APPENDS; version += 3) {
          await to.append(append(of, version, { events: numbered(3) }));
          fanout.deliver({ kind: 'advanced', sessionId: EVERY_SESSION, seq: version + 3 });
        }
      }),
    );
    return (performance.now() - start) / (CALLERS * APPENDS);
  };
  await round();
  await round(plain);
  const times: { readonly digests: number; readonly alone: number; readonly sequenced: number }[] = [];
  for (let turn = 0; turn < ROUNDS; turn += 1) {
    const digests = await round(plain);
    const alone = await round();
    const sequencer = sequencerOf(log, fanout);
    await sequencer.sequence(); // what has been waiting
    sequencer.start();
    times.push({ digests, alone, sequenced: await round() });
    await sequencer.stop();
  }
  await Promise.all([database.close(), other.close()]);
  const median = (of: (one: (typeof times)[number]) => number): number => percentile(times.map(of), 0.5);
  const compared = (label: string, one: 'digests' | 'alone', with_: 'alone' | 'sequenced') =>
    [
      label,
      median((time) => time[one]).toFixed(2),
      median((time) => time[with_]).toFixed(2),
      `${median((time) => time[one] / time[with_]).toFixed(2)} x`,
    ] as const;
  table('Transparency log: appends of three events, 16 callers (ms each)', [
    compared('plain digests and commitments', 'digests', 'alone'),
    compared('without and with a sequencer', 'alone', 'sequenced'),
    compared('plain digests, and both', 'digests', 'sequenced'),
  ]);
}

/** Appends of events of about 1.25 KB, plain and encrypted, interleaved. The first append of a session also makes its key. */
async function encryptedAppends(urls: TestDatabase): Promise<void> {
  const database = new Database({ url: urls.appUrl, poolSize: CALLERS, timeoutMs: 60_000, applicationName: 'verbatim bench' });
  const text = 'Where is the timeout of the connection pool configured? '.repeat(22);
  for (const callers of [1, CALLERS]) {
    const round = async (store: PostgresEventStore): Promise<number> => {
      const start = performance.now();
      await Promise.all(
        Array.from({ length: callers }, async () => {
          const of = ids();
          for (let version = 0; version < 3 * APPENDS; version += 3)
            await store.append(append(of, version, { events: [closed(text), closed(text), closed(text)] }));
        }),
      );
      return (performance.now() - start) / (callers * APPENDS);
    };
    const [plain, encrypted] = [new PostgresEventStore(database, NO_ENCRYPTION), new PostgresEventStore(database, encryptionWith('bench'))];
    const times: { readonly plain: number; readonly encrypted: number }[] = [];
    for (let turn = 0; turn <= ROUNDS; turn += 1) times.push({ plain: await round(plain), encrypted: await round(encrypted) });
    times.shift();
    const median = (of: (one: (typeof times)[number]) => number): number => percentile(times.map(of), 0.5);
    table(`Encryption: appends of three events of 1.25 KB, ${callers} caller${callers > 1 ? 's' : ''} (ms each)`, [
      [
        'without and with encryption',
        median((one) => one.plain).toFixed(2),
        median((one) => one.encrypted).toFixed(2),
        `${median((one) => one.plain / one.encrypted).toFixed(2)} x`,
      ],
    ]);
  }
  await database.close();
}

async function proofs(urls: TestDatabase, log: PostgresTransparencyLog): Promise<void> {
  const [holder, tenantId] = [randomUUID(), randomUUID()];
  const fence = (await log.leases.take('sequence', holder, 3_600_000))!;
  const tree = new GrowingTree(cryptography.sha256);
  const signer = new CheckpointSigner(log, cryptography, SETTINGS);
  const sessions: string[] = [];
  for (let from = 0; from < LEAVES; from += BATCH) {
    const tiles: FullTile[] = [];
    const runs: { tenantId: string; sessionId: string; firstSeq: number; hashes: Uint8Array[] }[] = [];
    for (let index = from; index < Math.min(LEAVES, from + BATCH); index += 1) {
      if (index % 256 === 0) runs.push({ tenantId, sessionId: randomUUID(), firstSeq: 1, hashes: [] });
      const hash = createHash('sha256').update(String(index)).digest();
      runs.at(-1)!.hashes.push(hash);
      tiles.push(...tree.add(hash));
    }
    sessions.push(runs.at(-1)!.sessionId);
    const checkpoint = await signer.sign({ size: tree.size, root: tree.root() });
    await log.extend(holder, fence, { from, runs, tiles, checkpoint, cursor: { transaction: '1', position: String(from) } });
  }
  await withConnection(urls.ownerUrl, 600_000, (client) => client.query('VACUUM ANALYZE tlog_run, tlog_tile, tlog_checkpoint'));
  const queries = new TransparencyQueries(log, cryptography);
  const times: number[] = [];
  const reads: number[] = [];
  for (let turn = 0; turn < PROOFS; turn += 1) {
    const sessionId = sessions[Math.floor(Math.random() * sessions.length)]!;
    const start = performance.now();
    const head = (await log.head())!;
    const run = (await log.lastRunOf(tenantId, sessionId, 256, head.size))!;
    const leafIndex = run.firstIndex + run.hashes.length - 1;
    await queries.inclusion(leafIndex, { sessionId, seq: 256, hash: '' }, head);
    times.push(performance.now() - start);
    reads.push(tilesFor(inclusionRanges(leafIndex, head.size)).length);
  }
  table(`Transparency log: proof of a session's head among ${LEAVES.toLocaleString('en')} leaves (ms; tiles read, at most)`, [
    figures('checkpoint, leaf and proof', times),
    ['tiles', String(Math.max(...reads)), '', ''],
  ]);
}
