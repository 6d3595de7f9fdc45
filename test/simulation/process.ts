import { TenantInstructions } from '../../src/engine/attachments/instructions.js';
import { Sha256Digest } from '../../src/platform/system/sha256-digest.js';
import { CachedSessions } from '../../src/engine/store/cached-sessions.js';
import { ErasedMemory } from '../../src/features/erasure/erased-memory.js';
import { Executor } from '../../src/engine/commands/execute.js';
import { BACKGROUND_WORK } from '../../src/engine/dispatch/background-work.js';
import { partsOf } from '../../src/engine/feature.js';
import { FEATURES } from '../../src/features.js';
import { SETTINGS } from '../../src/platform/config/env.js';
import { DomainError } from '../../packages/protocol/errors.js';
import { DEFAULT_NORMALIZE_GATES, DEFAULT_PROMPT_GATES, GATES } from '../../packages/protocol/gates.js';
import {
  Accounts,
  type Append,
  AttachmentProviders,
  Blobs,
  UnusedObjects,
  Clock,
  ComputePool,
  Digest,
  EventStore,
  GateSource,
  Hooks,
  Images,
  type Job,
  JobQueue,
  Links,
  LiveBus,
  Model,
  Outbox,
  Encryption,
  SessionFiles,
  SessionFolders,
  SessionList,
  UsageStore,
  ReadSessions,
  Sessions,
  Agents,
  Helpers,
  Skills,
  TaskLeases,
  Telemetry,
  TenantConfiguration,
  Tools,
} from '../../src/ports/index.js';
import { Worker } from '../../src/worker.js';
import { SimulatedFolders } from './folders.js';
import { Injector } from './injector.js';
import { SimulatedLive } from './live.js';
import { TIMEOUT_MS } from './network.js';
import { SimulatedModel } from './model.js';
import { SimulatedQueue } from './queue.js';
import { SIMULATED_SETTINGS } from './settings.js';
import { silentTelemetry } from './telemetry.js';
import { SimulatedTools } from './tools.js';
import type { World } from './world.js';

/** Reports of calls that run at the same time may each find out that another worker has the turn. */
const MOST_FENCED = 10;

const NEVER = new Promise<never>(() => undefined);

class SkewedClock extends Clock {
  constructor(private readonly process: SimulatedProcess) {
    super();
  }

  override now(): number {
    return Math.round(this.process.world.scheduler.now + this.process.skewMs);
  }

  override uuid(): string {
    return this.process.world.ids.uuid();
  }
}

/**
 * One server process: the real executor, relay, driver and worker on simulated ports. A crash makes every later answer to it disappear; a freeze delays
 * them, its timers included, until it thaws.
 */
export class SimulatedProcess {
  status: 'up' | 'frozen' | 'dead' = 'up';
  /** Its wall clock minus the reference time. */
  skewMs = 0;
  /** It answers no more clients. */
  isStopping = false;
  /** It must have stopped taking turns. */
  hasStopped = false;
  readonly injector = new Injector();
  readonly live: SimulatedLive;
  readonly queue: SimulatedQueue;
  readonly folders: SimulatedFolders;
  /** Calls to the store. */
  statements = 0;
  subscriptionsAtStart = 0;
  /** The store as this process reaches it. */
  readonly events: EventStore;
  #thawedAt: (until: number) => void = () => undefined;
  #thawed: Promise<void> = Promise.resolve();
  #thaw: () => void = () => undefined;

  constructor(
    readonly world: World,
    readonly name: string,
    readonly role: 'all' | 'api' | 'worker',
  ) {
    this.live = new SimulatedLive(this);
    this.queue = new SimulatedQueue(this);
    this.folders = new SimulatedFolders(this);
    const { store, scenario } = world;
    const events = (this.events = this.#oneAppendAtATime(this.remote(this.#events())));
    const { dispatch, perTenant, concurrency } = scenario;
    const settings = {
      ...SIMULATED_SETTINGS,
      ROLE: role,
      TURN_DISPATCH: dispatch,
      TENANT_CONCURRENCY: perTenant,
      WORKER_CONCURRENCY: concurrency,
      WORKSPACE_HISTORY: scenario.folders,
    };
    const cacheLimits = { idleMs: settings.SESSION_CACHE_IDLE_MS, clock: () => world.scheduler.now };
    const clock = new SkewedClock(this);
    const hooks = { run: async () => [], configured: async () => [], faultsIn: () => [] };
    const gates = {
      snapshot: async () => DEFAULT_NORMALIZE_GATES,
      intake: async () => DEFAULT_PROMPT_GATES,
      list: async () => GATES.map((name_) => ({ name: name_, enabled: false, source: 'default' })),
    };
    const skills = { list: async () => [], find: async () => null, mentioned: async () => [], problems: async () => [] };
    const blobs = { put: notSimulated, get: async () => new Map(), size: async () => 0, list: async () => [], share: async () => undefined };
    const sessions = new CachedSessions(events, scenario.cacheBytes, cacheLimits);
    for (const [token, value] of [
      [SETTINGS, settings],
      [Clock, clock],
      [Digest, new Sha256Digest()],
      [Telemetry, silentTelemetry()],
      [EventStore, events],
      [Sessions, sessions],
      [ReadSessions, sessions],
      [UsageStore, {}],
      [SessionList, this.remote(store.sessions)],
      [Outbox, this.#outbox()],
      [Accounts, {}],
      [JobQueue, this.queue],
      [LiveBus, this.live],
      [Links, { list: async () => [] }],
      [Blobs, scenario.folders ? this.remote(world.blobs) : blobs],
      [UnusedObjects, { isOn: false }],
      [Images, { fit: notSimulated }],
      [ComputePool, { forget: () => undefined }],
      [Encryption, { drop: () => undefined, dropUnused: () => undefined }],
      [TaskLeases, { take: async () => null, end: async () => undefined }],
      [
        SessionFolders,
        {
          remove: async (tenantId: string, sessionId: string) => this.folders.remove({ tenantId, sessionId }, null),
          removeFiles: async (tenantId: string, sessionId: string, paths: readonly string[]) => this.folders.remove({ tenantId, sessionId }, paths),
        },
      ],
      [SessionFiles, this.folders],
      [GateSource, gates],
      [Hooks, hooks],
      [Model, new SimulatedModel(this)],
      [TenantConfiguration, world.instructions],
      [Skills, skills],
      [Helpers, this.remote(store.helpers)],
      [Agents, { of: async () => ({}) }],
      [Tools, new SimulatedTools(this)],
      [AttachmentProviders, { all: [], standing: [new TenantInstructions(world.instructions, 1_000)] }],
    ] as const)
      this.injector.provide(token, value);
    const background = FEATURES.flatMap((feature) => partsOf(feature).background ?? []);
    this.injector.provide(
      BACKGROUND_WORK,
      background.map((work) => this.injector.get(work)),
    );
  }

  /** The shared log; the world notes what this process appends. */
  #events(): EventStore {
    const { events } = this.world.store;
    const fenced = new Map<string, number>();
    return overriding(events, {
      append: async (append: Append) => {
        const outcome = await events.append(append);
        this.world.checkAppend(append, this);
        if (outcome.kind === 'appended') this.world.appended(append, outcome, this);
        if (outcome.kind === 'fenced') {
          const claim = `${append.claim?.jobId} ${append.claim?.fence}`;
          const times = (fenced.get(claim) ?? 0) + 1;
          fenced.set(claim, times);
          if (times === MOST_FENCED) this.world.violations.push(`${this.name} continues a turn that another worker has claimed: ${append.sessionId}`);
        }
        return outcome;
      },
    });
  }

  /** Appends of one process to one session follow each other: of two at once, one would be made for nothing. */
  #oneAppendAtATime(events: EventStore): EventStore {
    const open = new Set<string>();
    return overriding(events, {
      append: async (append: Append) => {
        if (open.has(append.sessionId)) this.world.violations.push(`${this.name} made two appends to session ${append.sessionId} at once`);
        if (append.dispatch && this.hasStopped) this.world.violations.push(`${this.name} took a turn after it was told to stop`);
        open.add(append.sessionId);
        try {
          return await events.append(append);
        } finally {
          open.delete(append.sessionId);
        }
      },
    });
  }

  #outbox(): Outbox {
    const { outbox: shared } = this.world.store;
    const noted = overriding(shared, {
      claim: async (job: Job) => {
        const fence = await shared.claim(job);
        if (fence !== null) this.world.claimStored(job, this);
        return fence;
      },
      renew: async (holder: string, jobs: readonly Job[], leaseMs: number) => {
        const held = await shared.renew(holder, jobs, leaseMs);
        for (const id of held) this.world.renewed(id, leaseMs);
        return held;
      },
      release: async (holder: string, jobs: readonly Job[]) => {
        for (const { id } of jobs) this.world.released(id, this);
        await shared.release(holder, jobs);
      },
    });
    const outbox = this.remote(noted);
    return Object.assign(Object.create(outbox) as Outbox, {
      // Not a call: it is answered at once, and the session of a process is not simulated.
      present: () => undefined,
      claim: async (job: Job) => {
        const fence = await outbox.claim(job);
        if (fence !== null) this.world.claimed(job, this);
        return fence;
      },
    });
  }

  async start(): Promise<void> {
    this.injector.get(Executor);
    this.injector.get(ErasedMemory).onModuleInit();
    await this.injector.get(Worker).start();
    this.subscriptionsAtStart = this.live.subscriptions;
  }

  /** As on SIGTERM. */
  async stop(): Promise<void> {
    if (this.status !== 'up') return;
    this.isStopping = true;
    this.world.incidents.begin('stop', this.name, this.world.scheduler.now);
    this.world.scheduler.after(100, () => (this.hasStopped = true));
    const worker = this.injector.get(Worker);
    await worker.stop();
    await worker.close();
    this.#end();
  }

  crash(): void {
    this.world.incidents.begin('crash', this.name, this.world.scheduler.now);
    this.#end();
  }

  #end(): void {
    this.status = 'dead';
    this.live.disconnect();
  }

  freeze(): void {
    if (this.status !== 'up') return;
    this.status = 'frozen';
    this.#thawedAt = this.world.incidents.begin('freeze', this.name, this.world.scheduler.now);
    this.#thawed = new Promise((resolve) => (this.#thaw = resolve));
  }

  thaw(): void {
    if (this.status !== 'frozen') return;
    this.status = 'up';
    this.#thawedAt(this.world.scheduler.now);
    this.#thaw();
  }

  /** Resolves when the process can run; never when it is dead. */
  async alive(): Promise<void> {
    while (this.status === 'frozen') await this.#thawed;
    if (this.status === 'dead') await NEVER;
  }

  /** A call over the network: either direction may be slow or lost while faults are on. */
  async call<T>(work: () => T | Promise<T>, method = '', args: readonly unknown[] = []): Promise<T> {
    if (this.status !== 'up') await this.alive();
    await this.#travel('request', method, args);
    const result = await outcomeOf(work);
    await this.#travel('answer', method, args);
    if (this.status !== 'up') await this.alive();
    if ('error' in result) throw result.error;
    return result.value;
  }

  async #travel(what: 'request' | 'answer', method: string, args: readonly unknown[]): Promise<void> {
    const { scheduler, network } = this.world;
    if (!network.loses({ process: this.name, what, method, args })) return scheduler.sleep(network.latency(this.name));
    await scheduler.sleep(TIMEOUT_MS);
    await this.alive();
    throw new DomainError('unavailable', `simulated: the ${what} was lost`);
  }

  /** Every method of `target`, which is a part of the store, becomes a call over the network. */
  remote<T extends object>(target: T): T {
    return new Proxy(target, {
      get: (object, name) => {
        const member = Reflect.get(object, name, object) as unknown;
        if (typeof member !== 'function') return member;
        return (...args: unknown[]) => {
          this.statements += 1;
          return this.call(() => (member as (...given: unknown[]) => unknown).apply(object, args), String(name), args);
        };
      },
    });
  }
}

/** `target` with other methods in place of some. Its own may use private members, so it is no prototype. */
function overriding<T extends object>(target: T, methods: Partial<T>): T {
  return new Proxy(target, {
    get: (object, name) => {
      const from = name in methods ? methods : object;
      const member = Reflect.get(from, name) as unknown;
      return typeof member === 'function' ? (member as () => unknown).bind(from) : member;
    },
  });
}

async function outcomeOf<T>(work: () => T | Promise<T>): Promise<{ readonly value: T } | { readonly error: unknown }> {
  try {
    return { value: await work() };
  } catch (error) {
    return { error };
  }
}

async function notSimulated(): Promise<never> {
  throw new Error('not part of the simulation');
}
