import { createHash, randomUUID } from 'node:crypto';
import { effects } from '../../src/engine/store/effects.js';
import * as lists from '../../src/engine/store/list-statements.js';
import * as statements from '../../src/engine/store/statements.js';
import * as leaves from '../../src/features/proofs/log-store/statements.js';
import { newestActivity } from '../../src/features/activity/postgres-activity.js';
import { dueSessionsOf } from '../../src/features/erasure/postgres-due-erasures.js';
import { signInOf } from '../../src/features/sign-in/postgres-sign-ins.js';
import { addedAnswer, answersNamed, sessionsHaving } from '../../src/features/gateway/postgres-thread-answers.js';
import * as memory from '../../src/features/memory/postgres-statements.js';
import { totalsOf } from '../../src/features/usage/postgres-usage.js';
import { Prisma } from '../../src/generated/prisma/client.js';
import { insertTenant, revokeTokens, tokenOf } from '../../src/platform/postgres/store/account-statements.js';
import * as blobs from '../../src/platform/blobs/statements.js';
import { IS_STANDBY } from '../../src/platform/postgres/connection/writable-host.js';
import { POSITION } from '../../src/platform/postgres/replica/primary-positions.js';
import { toColumns } from '../../src/platform/postgres/store/row.js';
import type { Append } from '../../src/ports/index.js';
import { append, type Choices, numbered } from './appends.js';
import { SESSION, TENANT, USER } from './filled-store.js';

/* Every statement that `src` exports, as a function or as a text, with what it may cost in the store of FilledStore: test/contract/plan-bounds.spec.ts. */

/** A user with a memory. */
export const REMEMBERS = { tenantId: TENANT, userId: randomUUID() };

const secret = { tenantId: TENANT, hash: Buffer.alloc(32) };
const now = (): string => new Date().toISOString();

/** Of the long session, one after the other. */
let version = 3_000;
function next(choices?: Choices): Append {
  const given = append({ tenantId: TENANT, sessionId: SESSION }, version, choices);
  version += given.events.length;
  return given;
}
const PROJECTION = { facts: '{"messages":1,"usage":{}}', language: 'simple', ids: [randomUUID()], kinds: ['user'], texts: ['a text'], hidden: [], shown: [] };
const usage = [{ userId: USER, model: 'm', prompts: 1, requests: 1, inputTokens: 1, outputTokens: 1, cacheReadTokens: 1, cacheCreationTokens: 1, cost: 1 }];
const alone = (given: Append, calls: readonly Prisma.Sql[] = []): Prisma.Sql => statements.append(given, toColumns(given.events), calls);

function batch(): Prisma.Sql {
  const [one, other] = [next(), append({ tenantId: TENANT, sessionId: randomUUID() }, 0, { usage })];
  return statements.appendBatch([one, other].map((given) => ({ append: given, columns: toColumns(given.events), projection: PROJECTION, effects: [] })));
}

function withEffects(): Prisma.Sql {
  const configured = { type: 'session.configured', data: { changes: { retentionDays: 30 } } } as const;
  const given = next({ events: [configured, { type: 'hold.placed', data: { reason: null } }] as unknown as Append['events'] });
  return alone(given, effects({ ...given, grants: { ownerId: USER, grants: new Map([[`user:${USER}`, 'owner']]) } }));
}

interface Bound {
  readonly cost: number;
  readonly rows: number;
  readonly of: () => Statement;
}

export type Statement = Pick<Prisma.Sql, 'text' | 'values'>;

const sent =
  (text: string, ...values: readonly unknown[]): (() => Statement) =>
  () => ({ text, values: [...values] });

/** A few rows by their keys, with versions of them that are no longer current; less than a scan of the smallest table. */
export const ONE = { cost: 40, rows: 100 };
/** Some dozens of rows in the order of an index; less than a scan of a table of sessions or events. */
const PAGE = { cost: 200, rows: 150 };

/** Every source of the list. */
const ACTIVITY = [
  'content.erased',
  'user_erasure',
  'hold.placed',
  'hold.released',
  'session.granted',
  'session.grant_revoked',
  'link_created',
  'link_revoked',
  'glass.broken',
];

const all: lists.Scope = 'all';
const mine = { userId: USER, archived: false };

/** Texts and metadata are searched in list-cost.spec, on other tables. */
export const BOUNDS: Readonly<Record<string, Bound>> = {
  append: { ...ONE, of: () => alone(next({ events: numbered(2) })) },
  appendBatch: { ...ONE, of: batch },
  project: { ...ONE, of: () => ((given) => alone(given, [statements.project(given, PROJECTION)]))(next()) },
  countUsage: { ...ONE, of: () => ((given) => alone(given, [statements.countUsage(given, usage)]))(next()) },
  effects: { ...ONE, of: withEffects },
  heldFence: { ...ONE, of: () => statements.heldFence(TENANT, randomUUID(), randomUUID()) },
  read: { ...PAGE, of: () => statements.read(TENANT, SESSION, 2_000, 2_050, null) },
  readWithHash: { ...PAGE, of: () => statements.readWithHash(TENANT, SESSION, 1_000, Number.MAX_SAFE_INTEGER, 50) },
  exceeds: { ...PAGE, of: () => statements.exceeds(TENANT, SESSION, { events: 50, bytes: 100_000 }) },
  // The planner expects a hundred lookups of a recursion, however soon it ends.
  within: { ...PAGE, cost: 1_500, of: () => statements.within(TENANT, SESSION, 2_000, { events: 50, bytes: 100_000 }) },
  forks: { ...ONE, of: () => statements.forks(TENANT, SESSION) },
  erasedSince: { ...ONE, of: () => statements.erasedSince([{ tenantId: TENANT, sessionId: SESSION, version: 3_000 }]) },
  erasedOf: { ...ONE, of: () => statements.erasedOf(TENANT, [{ tenantId: TENANT, sessionId: SESSION, version: 3_000 }]) },
  hashAt: { ...ONE, of: () => statements.hashAt(TENANT, SESSION, 1_500) },
  head: { ...ONE, of: () => statements.head(TENANT, SESSION) },
  expiredWaits: { ...ONE, of: () => statements.expiredWaits(86_400_000, 100) },
  sessions: { ...PAGE, of: () => lists.sessions(TENANT, mine, 20, { at: now(), id: SESSION }, 'simple', all) },
  session: { ...ONE, of: () => lists.session(TENANT, SESSION) },
  changedSessions: { ...PAGE, of: () => lists.changedSessions(TENANT, USER, now(), 20, 60_000) },
  hits: { ...PAGE, of: () => lists.hits(TENANT, USER, 'seldom', 'simple', 20, null, all) },
  // Of a tenant with 200 sessions the planner may read them all for each of 20 users: by its estimate that is as cheap as the index by user.
  usersOf: { ...PAGE, rows: 5_000, of: () => lists.usersOf(TENANT, 20, USER) },
  userOf: { ...ONE, of: () => lists.userOf(TENANT, USER) },
  tokenOf: { ...ONE, of: () => tokenOf(secret) },
  insertTenant: {
    ...ONE,
    of: () => insertTenant({ tenantId: TENANT, name: 't', userId: randomUUID(), userName: 'u', tokenId: randomUUID(), tokenHash: Buffer.alloc(32) }),
  },
  revokeTokens: { ...ONE, of: () => revokeTokens(TENANT, Prisma.sql`t.token_id = ${randomUUID()}::uuid`) },
  signInOf: { ...ONE, of: () => signInOf(secret, 1_000) },
  totalsOf: { ...ONE, of: () => totalsOf(TENANT, [null, USER]) },
  newestRows: { cost: 1_000, rows: 150, of: () => memory.newestRows(REMEMBERS, null) }, // the planner expects 100 files
  rowsOfFile: { ...PAGE, of: () => memory.rowsOfFile(REMEMBERS, '00000000-0000-0000-0000-000000000007', 10_000, 20) },
  versionOfCall: { ...ONE, of: () => memory.versionOfCall(REMEMBERS, { sessionId: SESSION, toolUseId: '12345' }) },
  sessionsHaving: { ...PAGE, of: () => sessionsHaving(REMEMBERS, ['1', '2'], 8) },
  addedAnswer: { ...ONE, of: () => addedAnswer(REMEMBERS, ['msg_new', 'history new'], { sessionId: SESSION, requestId: randomUUID() }) },
  answersNamed: { ...ONE, of: () => answersNamed(REMEMBERS, 'msg_2') },
  newestActivity: { ...PAGE, of: () => newestActivity(TENANT, ACTIVITY, 10, { at: now(), id: SESSION }) },
  dueSessionsOf: { ...PAGE, of: () => dueSessionsOf({ tenantId: TENANT, userId: USER, startedAt: now() }, null, 20, null) },
};

const FILE = createHash('sha256').update('1').digest();
const BYTES = Buffer.alloc(32);

/** Statements that are sent as they are. */
export const TEXTS: Readonly<Record<string, Bound>> = {
  IS_STANDBY: { ...ONE, of: sent(IS_STANDBY) },
  POSITION: { ...ONE, of: sent(POSITION) },
  USE_KNOWN: { ...ONE, of: sent(blobs.USE_KNOWN, TENANT, SESSION, FILE) },
  STORE: { ...ONE, of: sent(blobs.STORE, TENANT, SESSION, BYTES, 'image/png', BYTES, null, 32, randomUUID(), 'key', BYTES) },
  INTEND: { ...ONE, of: sent(blobs.INTEND, TENANT, randomUUID(), 1_000) },
  HEADS: { ...ONE, of: sent(blobs.HEADS, TENANT, SESSION, [FILE]) },
  CHUNK: { ...ONE, of: sent(blobs.CHUNK, TENANT, FILE, 1, 10) },
  SMALL: { ...ONE, of: sent(blobs.SMALL, TENANT, [FILE]) },
  SIZE: { ...PAGE, of: sent(blobs.SIZE, TENANT, SESSION) },
  LIST: { ...ONE, of: sent(blobs.LIST, TENANT, SESSION) },
  SHARE: { ...PAGE, of: sent(blobs.SHARE, TENANT, SESSION, randomUUID()) },
  HEAD: { ...ONE, of: sent(leaves.HEAD) },
  PENDING: { ...PAGE, of: sent(leaves.PENDING, '3', 0, 20) },
  EXTEND: { ...ONE, of: sent(leaves.EXTEND, randomUUID(), 1, 0, [], [], [], [], '', [], [], '', '', BYTES, 'note', 'key', '3', 1) },
  FULL_TILES: { ...ONE, of: sent(leaves.FULL_TILES, [0], [500]) },
  FIRST_LEAVES: { ...PAGE, of: sent(leaves.FIRST_LEAVES, 10_000, 10_010) },
  ROOTS: { ...PAGE, rows: 300, of: sent(leaves.ROOTS, [1], [1]) }, // 256 children
  RUNS_OF: { ...PAGE, of: sent(leaves.RUNS_OF, TENANT, SESSION, 0, 20) },
  LAST_RUN_OF: { ...ONE, of: sent(leaves.LAST_RUN_OF, TENANT, SESSION, 5_000, 20_000) },
  EVENT_HASHES: { ...PAGE, of: sent(leaves.EVENT_HASHES, TENANT, SESSION, 1_000, 50) },
  LEFT_OUT: { ...PAGE, of: sent(leaves.LEFT_OUT, TENANT, SESSION, 2_950, '3', 0) },
  LOGGED_SESSIONS: { ...PAGE, of: sent(leaves.LOGGED_SESSIONS, TENANT, '00000000-0000-0000-0000-000000000000', 20) },
  LISTED_SESSIONS: { ...PAGE, rows: 500, of: sent(leaves.LISTED_SESSIONS, TENANT, '00000000-0000-0000-0000-000000000000', 20) }, // the ids of the tenant's 200 sessions
  SESSIONS_AFTER: { ...PAGE, of: sent(leaves.SESSIONS_AFTER, TENANT, SESSION, 20) },
  RUNS: { ...PAGE, of: sent(leaves.RUNS, 10_000, 20) },
  // Of the catalogue: no row of a table.
  MISSING_GUARDS: { cost: 5_000, rows: 0, of: sent(leaves.MISSING_GUARDS) },
  RECORD_ANCHOR: { ...ONE, of: sent(leaves.RECORD_ANCHOR, 'file', 20_000, null) },
  ANCHOR_RECEIPTS: { ...PAGE, of: sent(leaves.ANCHOR_RECEIPTS, 20) },
  LAST_ANCHOR: { ...ONE, of: sent(leaves.LAST_ANCHOR) },
  STORED_SIGNER: { ...ONE, of: sent(leaves.STORED_SIGNER, 'signer') },
};
