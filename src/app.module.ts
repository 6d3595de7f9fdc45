import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { OpenFeatureGates } from './adapters/gates/openfeature-gates.js';
import { HeavyProcesses } from './adapters/heavy/heavy-processes.js';
import { readHooksFile } from './adapters/hooks/hooks-file.js';
import { MatchingHooks } from './adapters/hooks/hooks.js';
import { PostgresLiveBus } from './adapters/live/postgres-live-bus.js';
import { RedisLiveBus } from './adapters/live/redis-live-bus.js';
import type { SharedLiveBus } from './adapters/live/shared-live-bus.js';
import { AnthropicModel } from './adapters/model/anthropic-model.js';
import { OfflineModel } from './adapters/model/offline/offline-model.js';
import { BullJobQueue } from './adapters/queue/bull-job-queue.js';
import { postgresBackend } from './adapters/queue/postgres-backend.js';
import { redisBackend } from './adapters/queue/redis-backend.js';
import { InstalledSkills, type SkillSettings } from './adapters/skills/installed-skills.js';
import { CachedSessions } from './adapters/store/cached-sessions.js';
import { PostgresAccounts } from './adapters/store/postgres-accounts.js';
import { PostgresEventStore } from './adapters/store/postgres-event-store.js';
import { PostgresOutbox } from './adapters/store/postgres-outbox.js';
import { PostgresTenantConfiguration } from './adapters/store/postgres-tenant-configuration.js';
import { PostgresSessionList } from './adapters/store/postgres-session-list.js';
import { Database } from './adapters/store/prisma.js';
import { Sha256Digest } from './adapters/system/sha256-digest.js';
import { SystemClock } from './adapters/system/system-clock.js';
import { PrometheusTelemetry } from './adapters/telemetry/prometheus-telemetry.js';
import { SkillTool } from './adapters/tools/skill-tool.js';
import { ToolSets } from './adapters/tools/tool-sets.js';
import { Executor } from './commands/execute.js';
import { COMMAND_HANDLERS } from './commands/handlers.js';
import { Routing } from './commands/slash/routing.js';
import { SlashCommands } from './commands/slash/slash-commands.js';
import { type Settings, SETTINGS } from './config/env.js';
import {
  Accounts,
  Clock,
  Digest,
  EventStore,
  GateSource,
  HeavyWork,
  Hooks,
  JobQueue,
  Limits,
  LiveBus,
  Model,
  Outbox,
  SessionList,
  Sessions,
  Skills,
  Telemetry,
  TenantConfiguration,
  Tools,
  type ToolSet,
} from './core/ports.js';
import { DEFAULT_MODEL } from './core/view/profiles.js';
import type { HeavySetup } from './heavy.js';
import { HttpModule } from './http/http.module.js';
import { limitsOf } from './limits.js';
import { LogQueries } from './queries/log-queries.js';
import { SessionQueries } from './queries/session-queries.js';
import { WorkerModule } from './worker/worker.module.js';

/** What the process holds open, to be closed after everything that uses it, in this order. */
export interface Outside {
  readonly database: Database;
  readonly live: SharedLiveBus;
  readonly gates: OpenFeatureGates;
  readonly heavy: HeavyProcesses;
  readonly queue: BullJobQueue;
}

export interface Connections {
  readonly settings: Settings;
  /** The login of the role that may only append. */
  readonly databaseUrl: string;
  readonly report: (problem: string, error: unknown) => void;
}

/** The only place where a port meets its adapter. */
@Module({})
export class AppModule {
  static async with(connections: Connections): Promise<{ readonly module: DynamicModule; readonly outside: Outside }> {
    const { settings, databaseUrl, report } = connections;
    const database = new Database({
      url: databaseUrl,
      poolSize: settings.DATABASE_POOL_SIZE,
      timeoutMs: settings.DATABASE_TIMEOUT_MS,
      applicationName: `verbatim ${settings.ROLE}`,
    });
    const live = settings.REDIS_URL ? new RedisLiveBus({ url: settings.REDIS_URL, report }) : new PostgresLiveBus({ url: databaseUrl, report });
    const tenants = new PostgresTenantConfiguration(database);
    const gates = await OpenFeatureGates.create(settings.GATES, tenants);
    const backend = settings.REDIS_URL ? redisBackend({ url: settings.REDIS_URL }) : postgresBackend({ url: databaseUrl });
    const queue = new BullJobQueue({ backend, lockMs: settings.JOB_LOCK_MS, report });
    const outside = { database, live, gates, heavy: heavyProcesses(settings, databaseUrl), queue };
    const providers = ports(connections, outside, tenants);
    const shared: DynamicModule = {
      module: class SharedModule {},
      global: true,
      imports: [CqrsModule.forRoot()],
      providers: [...providers, Executor, SlashCommands, Routing, ...COMMAND_HANDLERS],
      exports: [...providers, Executor, SlashCommands, CqrsModule],
    };
    return { module: { module: AppModule, imports: [shared, HttpModule.serving(settings.ROLE !== 'worker'), WorkerModule] }, outside };
  }
}

function ports({ settings, report }: Connections, { database, live, gates, heavy, queue }: Outside, tenants: TenantConfiguration): Provider[] {
  const clock = new SystemClock();
  const store = new PostgresEventStore(database);
  const model = settings.MODEL ?? DEFAULT_MODEL;
  const limits = limitsOf(settings);
  const hooks = settings.HOOKS_FILE ? readHooksFile(settings.HOOKS_FILE, { timeoutMs: settings.HOOK_TIMEOUT_MS, environment: process.env }) : [];
  const hookSettings = { directory: process.cwd(), environment: process.env, outputCharacters: settings.HOOK_OUTPUT_CHARACTERS, answerBytes: settings.HOOK_ANSWER_BYTES };
  const tenantTerms = { timeoutMs: settings.TENANT_HOOK_TIMEOUT_MS, maxHooks: settings.MAX_TENANT_HOOKS, allowPrivate: settings.HOOK_ALLOW_PRIVATE };
  const skills = new InstalledSkills(skillSettings(settings, report), tenants);
  const toolSets: readonly ToolSet[] = [new SkillTool(skills)];
  return [
    { provide: SETTINGS, useValue: { ...settings, MODEL: model } },
    { provide: Limits, useValue: limits },
    { provide: Clock, useValue: clock },
    { provide: Digest, useClass: Sha256Digest },
    { provide: Telemetry, useClass: PrometheusTelemetry },
    { provide: EventStore, useValue: store },
    { provide: Sessions, useValue: new CachedSessions(store, settings.SESSION_CACHE_BYTES) },
    { provide: SessionList, useValue: new PostgresSessionList(database) },
    { provide: Outbox, useValue: new PostgresOutbox(database) },
    { provide: Accounts, useValue: new PostgresAccounts(database) },
    { provide: JobQueue, useValue: queue },
    { provide: LiveBus, useValue: live },
    { provide: HeavyWork, useValue: heavy },
    { provide: GateSource, useValue: gates },
    { provide: Hooks, useValue: new MatchingHooks(hooks, tenants, tenantTerms, hookSettings, clock) },
    { provide: Model, useValue: modelOf(settings) },
    { provide: TenantConfiguration, useValue: tenants },
    { provide: Skills, useValue: skills },
    { provide: Tools, useValue: new ToolSets(toolSets) },
    {
      provide: SessionQueries,
      useFactory: (sessions: Sessions, list: SessionList, digest: Digest) => new LogQueries(store, sessions, list, gates, limits, digest, model),
      inject: [Sessions, SessionList, Digest],
    },
  ];
}

function skillSettings({ SKILLS_DIR, MAX_SKILLS, MAX_SKILL_BYTES, MAX_SKILL_FILE_BYTES }: Settings, report: Connections['report']): SkillSettings {
  const limits = { maxSkills: MAX_SKILLS, maxSkillBytes: MAX_SKILL_BYTES, maxFileBytes: MAX_SKILL_FILE_BYTES };
  return { directory: SKILLS_DIR ?? null, ...limits, report: (problem) => report(problem, null) };
}

/** A process that has nothing to do for so long gives its memory back. */
const HEAVY_IDLE_MS = 10_000;

function heavyProcesses(settings: Settings, databaseUrl: string): HeavyProcesses {
  const setup: HeavySetup = { settings, databaseUrl };
  return new HeavyProcesses({
    program: new URL('./heavy.js', import.meta.url),
    setup,
    processes: settings.HEAVY_PROCESSES,
    queue: settings.HEAVY_QUEUE,
    timeoutMs: settings.HEAVY_TIMEOUT_MS,
    memoryMb: settings.HEAVY_MEMORY_MB,
    idleMs: HEAVY_IDLE_MS,
  });
}

/** Without a key or an address of its own, nobody has said which model to ask. */
function modelOf({ ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, MODEL_TIMEOUT_MS }: Settings): Model {
  if (ANTHROPIC_API_KEY === undefined && ANTHROPIC_BASE_URL === undefined) return new OfflineModel();
  return new AnthropicModel({ apiKey: ANTHROPIC_API_KEY ?? null, baseUrl: ANTHROPIC_BASE_URL ?? null, timeoutMs: MODEL_TIMEOUT_MS });
}
