import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Client } from 'pg';
import { HttpTimeStamps } from '../../src/features/proofs/anchors/http-time-stamps.js';
import { JsonLinesFile } from '../../src/features/proofs/anchors/json-lines-file.js';
import { connect } from '../../src/platform/postgres/connect.js';
import { PostgresTransparencyLog } from '../../src/features/proofs/log-store/postgres-transparency-log.js';
import { type ColdSessions, type Webhooks, Clock } from '../../src/ports/index.js';
import { DomainError } from '../../packages/protocol/errors.js';
import { AuditQueries } from '../../src/engine/audit/audit-queries.js';
import { LogAudit } from '../../src/engine/audit/log-audit.js';
import { TransparencyQueries } from '../../src/engine/audit/transparency-queries.js';
import { Anchoring } from '../../src/features/proofs/anchoring.js';
import { Witnessing } from '../../src/features/proofs/witnessing.js';
import { RecurringAudit } from '../../src/features/proofs/recurring-audit.js';
import { append, ids, type Ids, numbered } from '../support/appends.js';
import { postgresStore, type PostgresStore } from '../support/postgres-store.js';
import { until } from '../support/until.js';
import { cryptography, sequencer } from './sequencing.js';
import { systemPrincipal } from '../../packages/protocol/access/principal.js';
import { ONE_POSTGRES } from '../support/one-postgres.js';

/** A superuser rewrites what was anchored: with all triggers dropped, all tables at hand, and the private key that the database holds. */
let store: PostgresStore;
let owner: Client;
let folder: string;
let log: PostgresTransparencyLog;
const NONE_ARCHIVED = { withoutArchived: (sessions: unknown) => Promise.resolve(sessions) } as ColdSessions;
const TENANT = ids().tenantId;
const LENGTH = 9;

Logger.overrideLogger(false);

beforeEach(async () => {
  store = await postgresStore();
  owner = await connect(store.urls.ownerUrl, 60_000);
  folder = await mkdtemp(path.join(tmpdir(), 'verbatim-anchors-'));
  log = new PostgresTransparencyLog({ url: store.urls.appUrl, timeoutMs: 60_000, applicationName: 'verbatim test' });
  const { rows } = await owner.query<{ drop: string }>(
    `SELECT format('DROP TRIGGER %I ON %I', tgname, tgrelid::regclass) AS drop FROM pg_trigger
     WHERE NOT tgisinternal AND tgrelid::regclass::text IN ('event', 'stream', 'tlog_run', 'tlog_tile', 'tlog_checkpoint', 'tlog_anchor')`,
  );
  for (const { drop } of rows) await owner.query(drop);
});
afterEach(async () => {
  await log.close();
  await owner.end();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

async function written(events = LENGTH): Promise<Ids> {
  const of = { ...ids(), tenantId: TENANT };
  for (let version = 0; version < events; version += 3) await store.events.append(append(of, version, { events: numbered(3) }));
  return of;
}

/** As a worker does it: in a separate process, whose memory is gone afterwards. */
async function sequenced(): Promise<void> {
  const process = sequencer(store.urls.appUrl);
  const { rows } = await owner.query<{ events: number }>('SELECT count(*)::int AS events FROM event');
  await until('every event is in the tree', async () => {
    await process.worker.sequence();
    return (await log.head())?.size === rows[0]!.events;
  });
  await process.worker.stop();
  await process.log.close();
}

class FixedClock extends Clock {
  now = (): number => 0;
  uuid = (): string => '';
}

/** A process that knows nothing but the tables and the anchor file. */
function auditor(
  choices: {
    readonly file?: string;
    readonly importing?: string;
    readonly broken?: string;
    readonly key?: string;
    readonly post?: Webhooks['post'];
    readonly sessions?: number;
  } = {},
) {
  const file = new JsonLinesFile(path.join(folder, choices.file ?? 'anchors'));
  const queries = new TransparencyQueries(log, cryptography);
  const logAudit = new LogAudit(log, queries, cryptography, file, { TLOG_KEY: choices.key });
  const sessions = {
    async audit({ tenantId }: { readonly tenantId: string }, id: string) {
      if (id === choices.broken) throw new Error('a bug');
      const audit = id === choices.importing ? null : await store.events.verify(tenantId, id);
      if (!audit) throw new DomainError('session_not_found', 'There is no such session.');
      return { version: audit.events, rowMatches: true, ...audit };
    },
  };
  const counted: string[] = [];
  const telemetry = {
    // All guards are gone here.
    count: (name: string, { subject, outcome }: { readonly subject?: string; readonly outcome: string }) =>
      subject !== 'guards' && counted.push(`${name} ${outcome}`),
    gauge: (name: string, value: number) => gauges.set(name, value),
  };
  const gauges = new Map<string, number>();
  const audits = new AuditQueries(sessions as never, log, queries, logAudit, cryptography, telemetry as never);
  const webhooks = { post: choices.post ?? (async () => undefined), send: async () => ({ status: 500, body: new Uint8Array() }) };
  const settings = {
    ANCHOR_URLS: choices.post ? ['https://anchor.example/'] : [],
    ANCHOR_INTERVAL_MS: 1,
    TLOG_LEASE_MS: 1,
    TSA_URL: undefined,
    TSA_INTERVAL_MS: 1,
    WITNESSES: [],
    AUDIT_INTERVAL_MS: 1,
    AUDIT_SESSIONS: choices.sessions ?? 100,
    AUDIT_CONCURRENCY: 2,
    COMPUTE_PROCESSES: 1,
    AUDIT_ALERT_URLS: choices.post ? ['https://alert.example/'] : [],
  };
  const clock = new FixedClock();
  const anchoring = new Anchoring(
    ...([log, log.leases, logAudit, queries, file, webhooks, clock, telemetry as never] as const),
    ...([new HttpTimeStamps(webhooks), new Witnessing(queries, cryptography, webhooks), cryptography, settings] as const),
  );
  let inBackground = 0;
  const background = {
    audit: (...of: Parameters<typeof sessions.audit>) => {
      inBackground += 1;
      return sessions.audit(...of);
    },
  };
  const recurring = new RecurringAudit(
    log,
    log.leases,
    logAudit,
    audits,
    background as never,
    NONE_ARCHIVED,
    ONE_POSTGRES,
    webhooks,
    clock,
    telemetry as never,
    settings,
  );
  const page = () => audits.tenant(systemPrincipal(TENANT, TENANT), null, 100);
  return { file, logAudit, audits, anchoring, recurring, counted, gauges, page, inBackground: () => inBackground };
}

/** Some sessions, one of them to be rewritten, sequenced and anchored; later ones are not anchored. */
async function anchored(): Promise<{ readonly of: Ids; readonly others: readonly Ids[] }> {
  const others = [await written()];
  const of = await written();
  others.push(await written(300));
  await sequenced();
  await auditor().anchoring.anchor();
  await written();
  await sequenced();
  return { of, others };
}

/** Recomputes the hashes of a session from `seq` on, and its head, as append_events computes them. */
const RECHAIN = `DO $$ DECLARE e event; link bytea; at bigint := 1; BEGIN
  link := sha256('verbatim chain 1'::bytea || uuid_send('SESSION'));
  FOR e IN SELECT * FROM event WHERE session_id = 'SESSION' ORDER BY seq LOOP
    link := chain_hash(link, e.session_id, at, e.tenant_id, e.event_id, e.command_id, e.schema_version, e.recorded_at, sha256(e.salt || convert_to(e.data::text, 'UTF8')), e.actor::text, e.type);
    UPDATE event SET seq = at, hash = link, digest = sha256(e.salt || convert_to(e.data::text, 'UTF8')) WHERE event_id = e.event_id;
    at := at + 1;
  END LOOP;
  UPDATE stream SET version = at - 1, head_hash = link WHERE session_id = 'SESSION';
END $$`;

const rechain = (of: Ids): Promise<unknown> => owner.query(RECHAIN.replaceAll('SESSION', of.sessionId));

/** Makes the transparency log what it would be if the tables had always been as they are now, signed with the key in the database. */
async function rebuildLog(): Promise<void> {
  await owner.query('DELETE FROM tlog_anchor; DELETE FROM tlog_run; DELETE FROM tlog_tile; DELETE FROM tlog_checkpoint; DELETE FROM task_lease');
  await sequenced();
}

const REWRITES: readonly (readonly [what: string, (of: Ids) => Promise<unknown>])[] = [
  ['changed event', ({ sessionId }) => owner.query(`UPDATE event SET data = '{"reason":"forged"}' WHERE session_id = $1 AND seq = 4`, [sessionId])],
  [
    'changed event, with all hashes computed again',
    async (of) => {
      await owner.query(`UPDATE event SET data = '{"reason":"forged"}' WHERE session_id = $1 AND seq = 4`, [of.sessionId]);
      await rechain(of);
    },
  ],
  [
    'swap of two events, with all hashes computed again',
    async (of) => {
      await owner.query('UPDATE event SET seq = CASE seq WHEN 3 THEN 60 ELSE 3 END WHERE session_id = $1 AND seq IN (3, 6)', [of.sessionId]);
      await owner.query('UPDATE event SET seq = 6 WHERE session_id = $1 AND seq = 60', [of.sessionId]);
      await rechain(of);
    },
  ],
  [
    'deleted event, with all hashes computed again',
    async (of) => {
      await owner.query('DELETE FROM event WHERE session_id = $1 AND seq = 5', [of.sessionId]);
      await rechain(of);
    },
  ],
  [
    'tail cut off, with the head set back',
    async (of) => {
      await owner.query('DELETE FROM event WHERE session_id = $1 AND seq > 6', [of.sessionId]);
      await rechain(of);
    },
  ],
  [
    'deleted session',
    async ({ sessionId }) => {
      await owner.query('DELETE FROM event WHERE session_id = $1', [sessionId]);
      await owner.query('DELETE FROM stream WHERE session_id = $1', [sessionId]);
    },
  ],
  [
    'surplus event, with all hashes computed again',
    async (of) => {
      await owner.query(
        `INSERT INTO event (session_id, seq, tenant_id, event_id, command_id, type, schema_version, actor, data, salt, digest, hash, recorded_at)
       SELECT session_id, 100, tenant_id, gen_random_uuid(), command_id, type, schema_version, actor, data, salt, digest, hash, recorded_at
       FROM event WHERE session_id = $1 AND seq = 5`,
        [of.sessionId],
      );
      await owner.query('UPDATE event SET seq = 50 WHERE session_id = $1 AND seq = 9', [of.sessionId]);
      await owner.query('UPDATE event SET seq = 200 WHERE session_id = $1 AND seq = 50', [of.sessionId]);
      await rechain(of);
    },
  ],
];

const PLAIN = { withProof: false, requests: 0 };

describe('an audit of what was anchored', () => {
  it('is valid while nothing was changed, and says how far it can vouch', async () => {
    const { of } = await anchored();
    const { page, audits, recurring, counted, inBackground } = auditor();
    expect(await page()).toMatchObject({ valid: true });
    const { transparencyLog } = await audits.session(systemPrincipal(of.tenantId, TENANT), of.sessionId, PLAIN);
    expect(transparencyLog).toMatchObject({ matches: true, events: LENGTH, anchored: { size: 318, events: LENGTH } });
    expect(await recurring.audit()).toBe(true);
    expect(inBackground()).toBeGreaterThan(0);
    expect(counted).toEqual(['audits valid', ...Array.from({ length: counted.length - 1 }, () => 'audits valid')]);
  });

  it.each(REWRITES)('finds a %s', async (_, rewrite) => {
    const { of } = await anchored();
    await rewrite(of);
    const { page } = auditor();
    const { data } = await page();
    expect(data.filter(({ valid }) => !valid).map(({ sessionId }) => sessionId)).toEqual([of.sessionId]);
  });

  it.each(REWRITES.slice(1))('finds a %s when the transparency log was built again from it', async (_, rewrite) => {
    const { of } = await anchored();
    await rewrite(of);
    await rebuildLog();
    const { logAudit, page, anchoring, counted } = auditor();
    expect((await logAudit.heads()).problem).toMatch(/does not continue the checkpoint of 318 leaves that was anchored/);
    expect(await page()).toMatchObject({ valid: false });
    // Nor does a forged checkpoint get into the file.
    const before = await readFile(path.join(folder, 'anchors'), 'utf8');
    await anchoring.anchor();
    expect(await readFile(path.join(folder, 'anchors'), 'utf8')).toBe(before);
    expect(counted.filter((name) => name.startsWith('anchors'))).toEqual(['anchors refused']);
  });

  it('compares a session that is being imported, which is not visible yet, with its leaves', async () => {
    const { of } = await anchored();
    const { page } = auditor({ importing: of.sessionId });
    expect(await page()).toMatchObject({ valid: true });
    await REWRITES[1]![1](of);
    expect((await page()).data.filter(({ valid }) => !valid)).toMatchObject([{ sessionId: of.sessionId, firstInvalidSeq: 4 }]);
  });

  it('continues when one session cannot be audited', async () => {
    const { of, others } = await anchored();
    await REWRITES[1]![1](others[0]!);
    const { recurring, counted } = auditor({ broken: of.sessionId });
    const found: string[] = [];
    const error = jest.spyOn(Logger.prototype, 'error').mockImplementation((message: unknown) => void found.push(String(message)));
    await until(
      'the walk has come to both',
      async () =>
        (await recurring.audit()) === false && [/cannot be audited.*a bug/s, /transparency_log, event 4/].every((text) => text.test(found.join('\n'))),
    );
    error.mockRestore();
    expect(found.join('\n')).toMatch(new RegExp(`${of.sessionId}: unreadable`));
    expect(found.join('\n')).toMatch(new RegExp(`${others[0]!.sessionId}: transparency_log, event 4`));
    expect(counted).toContain('audits invalid');
  });

  it('finds a session that was deleted together with its leaves', async () => {
    const { of } = await anchored();
    await REWRITES.find(([what]) => what === 'deleted session')![1](of);
    await owner.query('DELETE FROM tlog_run WHERE session_id = $1', [of.sessionId]);
    const { logAudit, recurring } = auditor();
    expect((await logAudit.leaves(0)).problem).toBe('the transparency log has no record of leaf 9');
    expect(await recurring.audit()).toBe(false);
  });

  it('finds leaves, tiles and roots that do not fit each other', async () => {
    await anchored();
    const changes = [
      ['UPDATE tlog_run SET hashes = sha256(hashes) || substring(hashes FROM 33) WHERE first_index = 0', 'tile 0 of level 0'],
      ['UPDATE tlog_tile SET hashes = sha256(hashes) || substring(hashes FROM 33)', 'tile 0 of level 0'],
      [
        'UPDATE tlog_run SET hashes = sha256(hashes) || substring(hashes FROM 33) WHERE first_index = (SELECT max(first_index) FROM tlog_run)',
        'does not continue the checkpoint of 327 leaves',
      ],
      ['UPDATE tlog_checkpoint SET root = sha256(root) WHERE size = (SELECT max(size) FROM tlog_checkpoint)', 'has no valid signature'],
      ['DELETE FROM tlog_tile', 'does not continue'],
    ] as const;
    for (const [change, problem] of changes) {
      await owner.query('BEGIN');
      await owner.query(change);
      await owner.query('COMMIT');
      const found = (await auditor().logAudit.leaves(0)).problem;
      expect([change, found]).toEqual([change, expect.stringContaining(problem)]);
      await rebuildLog();
      await rm(path.join(folder, 'anchors'));
      await auditor().anchoring.anchor();
    }
  });

  it('finds a log that was built again with another key, or is gone', async () => {
    const { of } = await anchored();
    const { rows } = await owner.query<{ signer: string }>('SELECT signer FROM tlog_key');
    await REWRITES[1]![1](of);
    await owner.query('DELETE FROM tlog_key');
    await rebuildLog();
    expect((await auditor().logAudit.heads()).problem).toMatch(/anchor file was not signed with the key of this/);
    // Without an anchor file: where the key is a setting, it is known.
    const other = { file: 'none', key: rows[0]!.signer };
    expect((await auditor(other).logAudit.heads()).problem).toMatch(/signed with another key than TLOG_KEY/);
    expect(await auditor(other).page()).toMatchObject({ valid: false });
    await owner.query('DELETE FROM tlog_anchor; DELETE FROM tlog_run; DELETE FROM tlog_tile; DELETE FROM tlog_checkpoint');
    expect((await auditor().logAudit.heads()).problem).toBe('the transparency log is gone');
  });

  it('finds an event that was kept out of the tree, and leaves that were given to another tenant', async () => {
    const { of, others } = await anchored();
    const { audits } = auditor();
    const outcome = async ({ tenantId, sessionId }: Ids) => (await audits.session(systemPrincipal(tenantId, TENANT), sessionId, PLAIN)).transparencyLog;
    // Not in the tree yet: that is no finding.
    await store.events.append(append(of, LENGTH, { events: numbered(1) }));
    expect(await outcome(of)).toMatchObject({ matches: true, events: LENGTH });
    for (const place of [`'1'::xid8`, `(pg_current_xact_id()::text::bigint + 1000000)::text::xid8`]) {
      await owner.query(`UPDATE event SET xact_id = ${place} WHERE session_id = $1 AND seq = $2`, [of.sessionId, LENGTH + 1]);
      expect(await outcome(of)).toMatchObject({ matches: false, firstMismatch: LENGTH + 1, events: LENGTH });
    }
    await REWRITES[1]![1](others[0]!);
    await owner.query('UPDATE tlog_run SET tenant_id = gen_random_uuid() WHERE session_id = $1', [others[0]!.sessionId]);
    expect(await outcome(others[0]!)).toMatchObject({ matches: false, firstMismatch: 1 });
  });

  it('finds a session with leaves that were given to another tenant, and one that never got any, among the sessions of its tenant and in the recurring audit', async () => {
    const { of } = await anchored();
    const kept = await written();
    await owner.query(`UPDATE event SET xact_id = '1' WHERE session_id = $1`, [kept.sessionId]);
    await REWRITES[1]![1](of);
    await owner.query('UPDATE tlog_run SET tenant_id = gen_random_uuid() WHERE session_id = $1', [of.sessionId]);
    const changed = [of.sessionId, kept.sessionId].sort();
    const { data } = await auditor().page();
    expect(data.filter(({ valid }) => !valid).map(({ sessionId }) => sessionId)).toEqual(changed);
    const found = new Set<string>();
    const { recurring } = auditor({
      post: async (_, body) => {
        for (const { tenantId, sessionId } of (body as UnknownAlert).sessions) if (tenantId === TENANT) found.add(sessionId);
      },
    });
    await recurring.audit();
    await recurring.audit(); // from the smallest id, after the one that the first began with
    expect([...found].sort()).toEqual(changed);
  });

  it('audits all sessions that have changed, however many, and continues where a process that was killed has stopped', async () => {
    await anchored();
    await auditor({ sessions: 1 }).recurring.audit(); // and is gone
    const changed = [await written(), await written(), await written()];
    for (let count = 0; count < 100; count += 1) await written(3);
    await sequenced();
    await REWRITES[1]![1](changed[0]!);
    const killed = auditor({ sessions: 1 });
    const keep = log.leases.keep.bind(log.leases);
    let kept = 0;
    log.leases.keep = async (...all) => {
      if ((kept += 1) > 1) throw new Error('killed');
      return keep(...all);
    };
    await expect(killed.recurring.audit()).rejects.toThrow('killed');
    log.leases.keep = keep;
    expect(killed.counted).toContain('audits invalid');
    expect(killed.gauges.get('audit_lag_leaves')).toBeGreaterThan(0);
    const { recurring, counted, gauges } = auditor({ sessions: 1 });
    await recurring.audit();
    expect(gauges.get('audit_lag_leaves')).toBe(0);
    // The log, the three that the other process had begun, and one of the walk.
    expect(counted.length).toBeLessThan(10);
  });

  it('reports what it finds to the addresses for alerts', async () => {
    const { of } = await anchored();
    await REWRITES[1]![1](of);
    const posted: (readonly [string, unknown])[] = [];
    const { recurring } = auditor({ post: async (url, body) => void posted.push([url, body]) });
    await until('the walk through all sessions has come to the changed one', async () => (await recurring.audit()) === false);
    expect(posted.at(-1)).toMatchObject([
      'https://alert.example/',
      { kind: 'audit.invalid', transparencyLog: null, sessions: [{ tenantId: TENANT, sessionId: of.sessionId, firstInvalidSeq: 4 }] },
    ]);
  });
});

describe('guards of tables that are gone', () => {
  it('are reported to the addresses for alerts, and say nothing against rows that are as they were recorded', async () => {
    await anchored();
    const posted: (readonly [string, unknown])[] = [];
    const { recurring } = auditor({ post: async (url, body) => void posted.push([url, body]) });
    expect(await recurring.audit()).toBe(true);
    expect(posted).toMatchObject([
      [
        'https://alert.example/',
        { kind: 'guards.missing', guards: expect.arrayContaining([{ table: 'event', problem: 'the trigger event_immutable is missing' }]) },
      ],
    ]);
  });
});

describe('anchoring', () => {
  it('appends to the file, after a line that a crash has left without its end, and posts a proof that the log only grew', async () => {
    await written();
    await sequenced();
    const posted: UnknownBody[] = [];
    const { anchoring, file } = auditor({ post: async (_, body) => void posted.push(body as UnknownBody) });
    await anchoring.anchor();
    await anchoring.anchor(); // nothing is new
    await writeFile(path.join(folder, 'anchors'), '{"time":"20', { flag: 'a' });
    await written();
    await sequenced();
    await anchoring.anchor();
    expect(posted).toMatchObject([
      { kind: 'checkpoint', consistency: null },
      { kind: 'checkpoint', consistency: { from: 9, to: 18 } },
    ]);
    expect(await file.newest()).toBe(posted[1]!.checkpoint);
    expect((await readFile(path.join(folder, 'anchors'), 'utf8')).split('\n')).toHaveLength(4);
  });

  it('tries again at a receiver that does not answer, and is not kept from the file', async () => {
    await written();
    await sequenced();
    let isDown = true;
    const { anchoring, file, counted } = auditor({
      post: async () => {
        if (isDown) throw new Error('down');
      },
    });
    await anchoring.anchor();
    expect(counted).toEqual(['anchors taken', 'anchors failed']);
    expect(await file.newest()).not.toBeNull();
    isDown = false;
    await anchoring.anchor();
    expect(counted.slice(2)).toEqual(['anchors taken']);
  });
});

interface UnknownAlert {
  readonly sessions: readonly Ids[];
}

interface UnknownBody {
  readonly checkpoint: string;
}
