import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { DomainError } from '../../../packages/protocol/errors.js';
import { Accounts, type Blob, EventStore, type Identity, LiveBus, type LiveSignal, type NewToken, type TokenInfo } from '../../../src/ports/index.js';
import type { NewEvent, SessionEvent } from '../../../packages/protocol/events/events.js';
import { SessionQueries } from '../../../src/engine/queries/session-queries.js';
import type { SessionView, TurnView } from '../../../src/engine/queries/views.js';
import { type Principal, principalOf } from '../../../packages/protocol/access/principal.js';

/* What the HTTP edge talks to, in memory: enough to see what it asks and to make happen what it shows. */

export const TENANT = '11111111-1111-4111-8111-111111111111';
export const ADMIN: Principal = principalOf({
  tenantId: TENANT,
  userId: '22222222-2222-4222-8222-222222222222',
  role: 'admin',
  tokenId: '33333333-3333-4333-8333-333333333333',
});
export const MEMBER: Principal = { ...ADMIN, userId: '44444444-4444-4444-8444-444444444444', role: 'member' };

const noUse = (): never => {
  throw new Error('the HTTP edge has no business with this');
};

export class MemoryStore extends EventStore {
  readonly logs = new Map<string, SessionEvent[]>();
  /** Reads of the table so far. */
  pages = 0;
  /** Holds the answer to a read of at most `limit` events back; what it will be is determined before. */
  delay: (limit: number) => Promise<void> | null = () => null;

  override append = noUse;
  override load = noUse;
  override follow = noUse;
  override receipt = noUse;
  override exceeds = noUse;
  override within = noUse;
  override hashAt = noUse;
  override stored = noUse;
  override forks = noUse;
  override erasedSince = noUse;
  override verify = noUse;
  override pruneReceipts = noUse;

  override async page(_tenantId: string, sessionId: string, after: number, limit: number): Promise<readonly SessionEvent[]> {
    this.pages += 1;
    const page = (this.logs.get(sessionId) ?? []).slice(after, after + limit);
    await this.delay(limit);
    return page;
  }

  record(sessionId: string, ...events: NewEvent[]): number {
    const log = this.logs.get(sessionId) ?? [];
    this.logs.set(sessionId, log);
    for (const event of events) {
      log.push({ id: randomUUID(), seq: log.length + 1, time: '2024-01-01T00:00:00.000Z', sessionId, actor: { kind: 'user', id: ADMIN.userId }, ...event });
    }
    return log.length;
  }
}

export class MemoryBus extends LiveBus {
  readonly listeners = new Map<string, Set<(signal: LiveSignal) => void>>();
  away = false;

  override publish(signal: LiveSignal): void {
    for (const listener of this.listeners.get(signal.sessionId) ?? []) listener(signal);
  }

  override subscribe(sessionId: string, listener: (signal: LiveSignal) => void): () => void {
    const here = this.listeners.get(sessionId) ?? new Set();
    this.listeners.set(sessionId, here.add(listener));
    return () => void here.delete(listener);
  }

  get size(): number {
    return [...this.listeners.values()].reduce((sum, here) => sum + here.size, 0);
  }

  override notify = noUse;
  override onNotify = noUse;
  override rank = 0;

  override async ping(): Promise<void> {
    if (this.away) throw new Error('away');
  }
}

export class MemoryAccounts extends Accounts {
  readonly byToken = new Map<string, Principal>([
    ['vb_admin', ADMIN],
    ['vb_member', MEMBER],
  ]);
  readonly vouchedFor: (readonly [string, string, string])[] = [];
  away = false;

  override names = async (_: string, ids: readonly string[]) => new Map(ids.map((id) => [id, 'someone']));
  override async principal(token: string): Promise<Principal | null> {
    return this.byToken.get(token) ?? null;
  }

  override async vouched({ tenant, user, role: asserted }: Identity): Promise<Principal> {
    const role = asserted ?? 'member';
    this.vouchedFor.push([tenant, user, role]);
    return principalOf({ tenantId: TENANT, userId: ADMIN.userId, role });
  }

  override userId(_: string, name: string): string {
    return `id of ${name}`;
  }

  override async describe() {
    return { tenantName: 'a tenant', userName: 'a user' };
  }

  override async createToken(principal: Principal, token: NewToken): Promise<TokenInfo & { readonly token: string }> {
    const id = randomUUID();
    this.byToken.set(`vb_${id}`, { ...principal, role: token.role, tokenId: id });
    return {
      id,
      name: token.name,
      userId: principal.userId,
      role: token.role,
      scopes: token.scopes,
      createdAt: '2024-01-01T00:00:00.000Z',
      expiresAt: token.expiresAt,
      parentId: principal.tokenId ?? null,
      token: `vb_${id}`,
    };
  }

  override async tokens(): Promise<readonly TokenInfo[]> {
    return [];
  }

  override async revokeToken(_principal: Principal, tokenId: string): Promise<boolean> {
    return this.byToken.delete(`vb_${tokenId}`);
  }

  override createStreamTicket = noUse;
  override redeemStreamTicket = noUse;
  override users = noUse;
  override createTenant = noUse;

  override async tenants(): Promise<number> {
    if (this.away) throw new Error('away');
    return 1;
  }

  override async ping(): Promise<void> {
    await this.tenants();
  }
}

/** Knows the sessions that are in the store, answers what it is told to, and remembers what it was asked. */
export class MemoryQueries extends SessionQueries {
  readonly asked: (readonly [string, ...unknown[]])[] = [];
  readonly turns = new Map<string, TurnView>();
  readonly blobs = new Map<string, Blob>();

  constructor(private readonly store: MemoryStore) {
    super();
  }

  version(sessionId: string): number {
    const version = this.store.logs.get(sessionId)?.length;
    if (version === undefined) throw new DomainError('session_not_found', 'There is no such session.');
    return version;
  }

  override async session(_principal: Principal, id: string): Promise<SessionView> {
    return sessionView(id, this.version(id));
  }

  override async turn(_principal: Principal, sessionId: string, turnId: string): Promise<TurnView> {
    this.version(sessionId);
    const turn = this.turns.get(turnId);
    if (!turn) throw new DomainError('turn_not_found', 'There is no such turn in this session.');
    return turn;
  }

  override knownTurn = () => null;
  override isLarge = async () => false;

  // Their shapes are not looked at by the edge, so an answer that says what was asked will do.
  override list = (...given: unknown[]) => this.#note('list', given) as never;
  override messages = (...given: unknown[]) => this.#note('messages', given) as never;
  override events = (...given: unknown[]) => this.#note('events', given) as never;
  override structure = noUse;
  override requireShareable = noUse;
  override shared = noUse;
  override sharedBlob = noUse;
  override grants = (...given: unknown[]) => this.#note('grants', given) as never;
  override accesses = (...given: unknown[]) => this.#note('accesses', given) as never;
  override queue = (...given: unknown[]) => this.#note('queue', given) as never;
  override prompt = (...given: unknown[]) => this.#note('prompt', given) as never;
  override schedules = (...given: unknown[]) => this.#note('schedules', given) as never;
  override rewinds = (...given: unknown[]) => this.#note('rewinds', given) as never;
  override branches = (...given: unknown[]) => this.#note('branches', given) as never;
  override payload = (...given: unknown[]) => this.#view('payload', given) as never;
  override requests = (...given: unknown[]) => this.#note('requests', given) as never;
  override request = (...given: unknown[]) => this.#view('request', given) as never;
  override synthetic = async (principal: Principal, id: string, requestId: string) => {
    await this.#note('synthetic', [principal, id, requestId]);
    return { version: this.version(id), synthetic: false };
  };
  override export = async (_principal: Principal, id: string) => ({
    version: this.version(id),
    lines: Readable.from([{ type: 'session' }]) as AsyncIterable<object>,
  });
  override blob = async (_principal: Principal, id: string, sha256: string) => {
    this.version(id);
    const blob = this.blobs.get(sha256);
    if (!blob) throw new DomainError('blob_not_found', 'No such file.');
    return blob;
  };
  override erasures = (...given: unknown[]) => this.#note('erasures', given) as never;
  override audit = (...given: unknown[]) => this.#note('audit', given) as never;
  override normalize = (...given: unknown[]) => this.#view('normalize', given) as never;

  /** A view with a payload, which is `{}`. */
  async #view(name: string, given: readonly unknown[]): Promise<object> {
    return { ...(await this.#note(name, given)), body: '{}' };
  }

  async #note(name: string, given: readonly unknown[]): Promise<object> {
    const [, sessionId] = given;
    this.asked.push([name, ...given]);
    if (typeof sessionId === 'string') return { version: this.version(sessionId), data: [], nextCursor: null };
    return { data: [], nextCursor: null };
  }
}

export function sessionView(id: string, version: number): SessionView {
  return {
    id,
    version,
    status: 'idle',
    title: null,
    model: 'a-model',
    system: null,
    context: {},
    systemContext: {},
    permissionMode: 'default',
    permissions: { allow: [], deny: [], ask: [] },
    tools: [],
    metadata: {},
    archived: false,
    head: null,
    queueLength: 0,
    turnId: null,
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0, requests: 0 },
    createdAt: '2024-01-01T00:00:00.000Z',
    updatedAt: '2024-01-01T00:00:00.000Z',
    userId: ADMIN.userId,
    forkedFrom: null,
    parent: null,
    erased: false,
    held: false,
    origin: null,
  };
}
