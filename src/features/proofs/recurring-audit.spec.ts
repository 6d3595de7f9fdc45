import { beforeEach, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { SessionPlace } from '../../ports/index.js';
import { RecurringAudit } from './recurring-audit.js';

Logger.overrideLogger(false);

/** Each tenant has the node of its name. */
const NODES = ['first', 'second', 'third'];

/** Sessions with a leaf each, the nodes in turn, in two batches. */
const SESSIONS: readonly SessionPlace[] = Array.from({ length: 150 }, (_, index) => ({ tenantId: NODES[index % 3]!, sessionId: `session ${index}` }));

let away: Set<string>;
let goesAway: string | null;
let kept: {
  readonly changed: number;
  readonly walked: number;
  readonly listed: SessionPlace | null;
  readonly left?: { readonly nodes: readonly string[] } | null;
};
let audited: string[];
let lag: number[];

beforeEach(() => {
  away = new Set();
  goesAway = null;
  kept = { changed: 0, walked: 0, listed: null };
  audited = [];
  lag = [];
});

const fails = (tenant: string): void => {
  if (away.has(tenant)) throw new Error('the node is away');
};

const after = ({ sessionId }: SessionPlace): number => Number(sessionId.split(' ')[1]) + 1;

const runs = (index: number) => SESSIONS.slice(index).map((session, at) => ({ ...session, firstIndex: index + at, firstSeq: 1, hashes: [new Uint8Array(32)] }));

const LOG = {
  missingGuards: async () => [],
  runs: async (index: number, limit: number) => runs(index).slice(0, limit),
  sessionsAfter: async (place: SessionPlace | null, limit: number) => {
    const present = SESSIONS.slice(place ? after(place) : 0).filter(({ tenantId }) => !away.has(tenantId));
    return { sessions: present.slice(0, limit), isComplete: away.size === 0 };
  },
};

const LEASES = {
  take: async () => 1,
  progress: async () => kept,
  keep: async (_task: string, _holder: string, _fence: number, progress: typeof kept) => {
    kept = JSON.parse(JSON.stringify(progress)) as typeof kept;
    return true;
  },
};

const AUDITS = {
  comparison: async () => null,
  outcome: async ({ tenantId }: { readonly tenantId: string }, sessionId: string) => {
    if (tenantId === goesAway) away.add(tenantId);
    fails(tenantId);
    audited.push(sessionId);
    return { sessionId, valid: true };
  },
};

const COLD = {
  withoutArchived: async (sessions: readonly SessionPlace[]) => {
    for (const { tenantId } of sessions) fails(tenantId);
    return sessions;
  },
};

const DATABASE = {
  read: async () => NODES.map((name) => ({ name, isUp: !away.has(name) })),
  reachable: async (tenants: readonly string[]) => new Set(tenants.filter((tenant) => !away.has(tenant))),
};

/** By a process that has just been started, with `sessions` others than those that have changed. */
async function audit(sessions = 0): Promise<void> {
  audited = [];
  const logAudit = { leaves: async () => ({ problem: null, size: SESSIONS.length }) };
  const telemetry = { count: () => undefined, gauge: (_: string, value: number) => lag.push(value) };
  const settings = { AUDIT_INTERVAL_MS: 1, AUDIT_SESSIONS: sessions, AUDIT_CONCURRENCY: 1, AUDIT_ALERT_URLS: [], COMPUTE_PROCESSES: 1 };
  const parts = [LOG, LEASES, logAudit, AUDITS, {}, COLD, DATABASE, {}, {}, telemetry, settings];
  await new RecurringAudit(...(parts as unknown as ConstructorParameters<typeof RecurringAudit>)).audit();
}

const of = (...tenants: readonly string[]): readonly string[] =>
  SESSIONS.filter(({ tenantId }) => tenants.includes(tenantId)).map(({ sessionId }) => sessionId);

it('sessions of a node that is away are left out and lag, the others are audited once, and those left out when it is back', async () => {
  away.add('second');
  await audit();
  expect(audited).toEqual(of('first', 'third'));
  expect(lag.at(-1)).toBe(150);
  await audit();
  expect(audited).toEqual([]);
  expect(lag.at(-1)).toBe(150);
  away.clear();
  await audit();
  expect(audited).toEqual(expect.arrayContaining([...of('second')]));
  expect(lag.at(-1)).toBe(0);
  await audit();
  expect(audited).toEqual([]);
});

it('the audit goes back to the first session that was left out, not farther', async () => {
  kept = { ...kept, changed: 120 };
  away.add('second');
  await audit();
  expect(lag.at(-1)).toBe(30);
  away.clear();
  await audit();
  expect(audited).toEqual(SESSIONS.slice(120).map(({ sessionId }) => sessionId));
});

it('a node that goes away during an audit, or is back before the audit has asked which it was, is no reason to pass its sessions by', async () => {
  goesAway = 'second';
  await audit();
  expect(audited).toEqual(of('first', 'third'));
  [goesAway, kept] = [null, { ...kept, left: { ...kept.left!, nodes: [] } }];
  away.clear();
  await audit();
  expect(audited).toEqual(expect.arrayContaining([...of('second')]));
  expect(lag.at(-1)).toBe(0);
});

it('of two nodes that are away each is waited for', async () => {
  for (const node of ['second', 'third']) away.add(node);
  await audit();
  expect(audited).toEqual(of('first'));
  away.delete('third');
  await audit();
  expect(audited).toEqual(expect.arrayContaining([...of('third')]));
  expect(kept.left!.nodes).toEqual(['second']);
  away.clear();
  await audit();
  expect(audited).toEqual(expect.arrayContaining([...of('second')]));
  expect(lag.at(-1)).toBe(0);
});

it('the walks through all sessions pass a node that is away by, and return to where they were', async () => {
  kept = { changed: 150, walked: 30, listed: SESSIONS[59]! };
  away.add('second');
  await audit(30);
  expect(audited).toHaveLength(25); // of 15 by their leaves ten, and 15 by the table
  expect(audited).not.toEqual(expect.arrayContaining([expect.stringMatching(/ 31$/)]));
  expect(lag.at(-1)).toBe(0);
  expect(kept).toMatchObject({ walked: 45, left: { walked: 30, listed: SESSIONS[59], nodes: ['second'] } });
  away.clear();
  await audit(30);
  expect(audited.toSorted()).toEqual([...SESSIONS.slice(30, 45), ...SESSIONS.slice(60, 75)].map(({ sessionId }) => sessionId).toSorted());
  expect(kept.left).toBeNull();
});

it('a session that cannot be audited while all nodes are up is passed by, as on one Postgres', async () => {
  const { outcome } = AUDITS;
  AUDITS.outcome = async (principal, sessionId) => {
    if (sessionId === 'session 1') throw new Error('too large');
    return outcome(principal, sessionId);
  };
  try {
    await audit();
  } finally {
    AUDITS.outcome = outcome;
  }
  expect(kept).toMatchObject({ changed: 150, left: null });
});
