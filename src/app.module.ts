import { type DynamicModule, Logger, Module, type Provider } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { PostgresUnusedObjects } from './platform/blobs/unused-objects.js';
import { openStorage, proveStorage } from './platform/blobs/open-blobs.js';
import type { S3Storage } from './platform/blobs/s3-storage.js';
import { PostgresBlobs } from './platform/blobs/postgres-blobs.js';
import { OpenFeatureGates } from './platform/gates/openfeature-gates.js';
import { ProcessPool } from './platform/compute-pool/process-pool.js';
import type { Hook } from './engine/hooks/definition.js';
import type { HookSandbox } from './engine/hooks/hook-context.js';
import { ImageProcessPool } from './engine/images/image-process-pool.js';
import type { SharedLiveBus } from './platform/live/shared-live-bus.js';
import { BullJobQueue } from './platform/queue/bull-job-queue.js';
import { openEncryption } from './platform/encryption/open-encryption.js';
import { InstalledSkills } from './engine/skills/installed-skills.js';
import { CredentialCache } from './platform/postgres/store/credential-cache.js';
import { PostgresBacklog } from './engine/store/postgres-backlog.js';
import { logOn } from './engine/store/confirmed-event-log.js';
import type { ProcessPresence } from './platform/postgres/connection/process-presence.js';
import { PostgresHelpers } from './engine/store/postgres-helpers.js';
import { PostgresOutbox } from './engine/store/postgres-outbox.js';
import { EncryptedUpstreamKeys } from './features/settings/encrypted-upstream-keys.js';
import { PostgresTenantConfiguration } from './features/settings/postgres-tenant-configuration.js';
import { PostgresMemories } from './features/memory/postgres-memories.js';
import { PostgresSessionList } from './engine/store/postgres-session-list.js';
import type { ReplicaReads } from './platform/postgres/replica/replica-reads.js';
import { Database } from './platform/postgres/store/prisma.js';
import { TenantReads } from './platform/postgres/store/tenant-connections.js';
import { Sha256Digest } from './platform/system/sha256-digest.js';
import { NodeCryptography } from './platform/system/node-cryptography.js';
import { SystemClock } from './platform/system/system-clock.js';
import { GuardedWebhooks } from './features/proofs/anchors/guarded-webhooks.js';
import { PostgresTransparencyLog } from './features/proofs/log-store/postgres-transparency-log.js';
import { readMcpFile } from './engine/mcp/mcp-file.js';
import { McpTools } from './engine/mcp/mcp-tools.js';
import { openStore } from './open-store.js';
import { openConnections } from './open-connections.js';
import { openPlugins, operatorHooks } from './plugins.js';
import { InstalledAgents } from './engine/skills/plugin-agents.js';
import { ReadPlugins } from './engine/plugins/installed-plugins.js';
import { PrometheusTelemetry } from './platform/telemetry/prometheus-telemetry.js';
import { tracedHooks } from './platform/telemetry/traced-hooks.js';
import { tracedModel } from './platform/telemetry/traced-model.js';
import { tracedTools } from './platform/telemetry/traced-tools.js';
import { builtinTools, hookSandbox, openShell, openWorkspaces, reachable, sessionFiles, workspacesDirectory } from './engine/tools/builtin-tools.js';
import { AgentTool } from './engine/tools/agent-tool.js';
import { memoryLimits, MemoryTool } from './engine/tools/memory-tool.js';
import { PlanTool } from './engine/tools/plan-tool.js';
import { SkillTool } from './engine/tools/skill-tool.js';
import { WorkspaceRemoval } from './engine/tools/workspaces/session-folders.js';
import { ToolRegistry } from './engine/tools/tool-registry.js';
import { AccessLog } from './engine/commands/access-log.js';
import { Executor } from './engine/commands/execute.js';
import { TurnDispatch } from './engine/commands/turn-dispatch.js';
import { DueRuns } from './engine/dispatch/due-runs.js';
import { ENGINE_HANDLERS } from './engine/commands/index.js';
import { featureModule, ruleHandlers } from './engine/feature.js';
import { FEATURES } from './features.js';
import { InterruptFirst } from './engine/commands/interrupt-first.js';
import { Admission } from './engine/commands/admission.js';
import { MEDIA } from './engine/media/index.js';
import { PromptSubmission } from './engine/commands/prompt-submission.js';
import { Routing } from './engine/slash/routing.js';
import { SlashCommands } from './engine/slash/slash-commands.js';
import { SETTINGS } from './platform/config/env.js';
import {
  AttachmentProviders,
  Blobs,
  Clock,
  ColdSessions,
  DatabaseNodes,
  Digest,
  EventLog,
  EventStore,
  GateSource,
  Helpers,
  ComputePool,
  Cryptography,
  Hooks,
  Images,
  JobQueue,
  LiveBus,
  Memories,
  Model,
  Outbox,
  ReadSessions,
  Encryption,
  SessionFiles,
  SessionFolders,
  SessionList,
  Sessions,
  Agents,
  Plugins,
  Skills,
  TaskLeases,
  Telemetry,
  TenantConfiguration,
  Tools,
  TransparencyLog,
  UpstreamKeys,
  UnusedObjects,
  Webhooks,
  type ToolSet,
} from './ports/index.js';
import { DEFAULT_MODEL } from '../packages/normalizer/models/profiles.js';
import { HttpModule } from './http.module.js';
import { LogAudit } from './engine/audit/log-audit.js';
import { LogExport } from './engine/queries/log-export.js';
import { LogQueries } from './engine/queries/log-queries.js';
import { AuditQueries } from './engine/audit/audit-queries.js';
import { BackgroundAudits } from './engine/audit/background-audits.js';
import { SessionQueries } from './engine/queries/session-queries.js';
import { TransparencyQueries } from './engine/audit/transparency-queries.js';
import { WorkerModule } from './worker.module.js';
import {
  attachmentProviders,
  computeProcesses,
  type Connections,
  imageProcesses,
  mcpTools,
  modelOf,
  readOnlyFolders,
  toldFolders,
  matchingHooks,
  skillSettings,
} from './adapter-factories.js';

/** Resources of the process, to be closed after everything that uses them. */
export interface Resources {
  readonly database: Database;
  readonly replica: ReplicaReads | null;
  readonly blobs: PostgresBlobs;
  readonly transparencyLog: PostgresTransparencyLog;
  readonly webhooks: GuardedWebhooks;
  readonly live: SharedLiveBus;
  readonly gates: OpenFeatureGates;
  readonly compute: ProcessPool;
  readonly images: ProcessPool;
  readonly queue: BullJobQueue;
  readonly presence: ProcessPresence;
  readonly mcp: McpTools;
}

/** What commands are executed with. */
const ENGINE = [TurnDispatch, DueRuns, Admission, Executor, AccessLog, InterruptFirst, SlashCommands, Routing, PromptSubmission, ...MEDIA];

/** Binds every port to its adapter, but for those that a feature implements: its module does. */
@Module({})
export class AppModule {
  static async with(connections: Connections): Promise<{ readonly module: DynamicModule; readonly resources: Resources }> {
    const { settings, databaseAt, report } = connections;
    // Validated before anything is opened.
    const plugins = await openPlugins(settings, report);
    const mcpServers = [...(settings.MCP_FILE ? readMcpFile(settings.MCP_FILE, process.env) : []), ...plugins.servers];
    const encryption = await openEncryption(settings);
    const objects = await openStorage(settings);
    if (objects) await proveStorage(objects, report);
    const { database, replica, blobs, transparencyLog, live, queue, presence } = openConnections(connections, encryption, objects);
    const tenants = new PostgresTenantConfiguration(database);
    const upstreamKeys = new EncryptedUpstreamKeys(database, encryption, tenants);
    const memories = new PostgresMemories(database, encryption, memoryLimits(settings));
    const gates = await OpenFeatureGates.create(settings.GATES, tenants);
    const mcp = mcpTools(mcpServers, tenants, connections);
    const resources = {
      database,
      replica,
      blobs,
      transparencyLog,
      webhooks: new GuardedWebhooks({ timeoutMs: settings.WEBHOOK_TIMEOUT_MS, allowPrivate: settings.WEBHOOK_ALLOW_PRIVATE }),
      live,
      gates,
      compute: computeProcesses(connections),
      images: imageProcesses(settings, databaseAt),
      mcp,
      queue,
      presence,
    };
    const skills = new InstalledSkills(skillSettings(settings, plugins.skillRoots, report), tenants);
    const agents = new InstalledAgents(plugins.agents, tenants);
    const workspaces = await openWorkspaces(settings, report);
    const folders = readOnlyFolders(skills, plugins.installed, tenants);
    const forShell = workspaces === null ? () => Promise.resolve([]) : reachable(workspaces, folders);
    const hooks = operatorHooks(settings, plugins.hooks);
    const shell = await openShell(settings, workspaces, { folders: forShell, told: toldFolders(settings, plugins.installed), ...hooks.use }, report);
    const tools = [
      ...builtinTools(settings, workspaces, shell, folders),
      new SkillTool(skills),
      new PlanTool(),
      ...(settings.TOOLS.includes('Agent') ? [new AgentTool(agents)] : []),
      new MemoryTool(memories, tenants, memoryLimits(settings)),
      mcp,
    ];
    const providers = ports(connections, resources, {
      encryption,
      objects,
      tenants,
      memories,
      skills,
      agents,
      plugins: new ReadPlugins(plugins.installed, tenants),
      tools,
      upstreamKeys,
      client: await modelOf(settings, upstreamKeys),
      hooks: hooks.all,
      hookSandbox: hookSandbox(workspaces, shell),
      files: sessionFiles(settings, workspaces),
      attachments: attachmentProviders(settings, { tenants, skills, workspaces, shell, mcp, memories }),
    });
    const shared: DynamicModule = {
      module: class SharedModule {},
      global: true,
      imports: [CqrsModule.forRoot()],
      providers: [...providers, ...ENGINE, ...ENGINE_HANDLERS, ...ruleHandlers(FEATURES)],
      exports: [...providers, ...ENGINE, CqrsModule],
    };
    const features = FEATURES.map((feature) => featureModule(feature, settings.ROLE !== 'worker'));
    return { module: { module: AppModule, imports: [shared, HttpModule, ...features, WorkerModule] }, resources };
  }
}

/** Adapters that others are made of. */
interface Bound {
  readonly encryption: Encryption;
  readonly objects: S3Storage | null;
  readonly tenants: TenantConfiguration;
  readonly upstreamKeys: UpstreamKeys;
  readonly memories: Memories;
  readonly skills: Skills;
  readonly agents: Agents;
  readonly plugins: Plugins;
  readonly tools: readonly ToolSet[];
  readonly client: Model;
  readonly hooks: readonly Hook[];
  readonly hookSandbox: HookSandbox | null;
  readonly files: SessionFiles;
  readonly attachments: AttachmentProviders;
}

function ports(
  { settings }: Connections,
  { database, replica, blobs, transparencyLog, webhooks, live, gates, compute, images, queue, presence }: Resources,
  { encryption, objects, tenants, upstreamKeys, memories, skills, agents, plugins, tools, client, hooks, hookSandbox: sandbox, attachments, files }: Bound,
): Provider[] {
  const clock = new SystemClock();
  database.nodes.onChange((line) => new Logger('Database').warn(line));
  const telemetry = new PrometheusTelemetry(new PostgresBacklog(database), database.isDistributed ? database.nodes : null);
  live.onReceived((kind, by) => telemetry.count('live_received', { kind }, by));
  objects?.onOperation((operation, outcome) => telemetry.count('blob_store_operations', { operation, outcome }));
  replica?.onRead((outcome) => telemetry.count('replica_reads', { outcome }));
  const { store, sessions, cold } = openStore(settings, database, objects, encryption, telemetry);
  const log = logOn(replica, store, encryption);
  const reads = replica ?? database;
  const model = settings.MODEL ?? DEFAULT_MODEL;
  return [
    { provide: SETTINGS, useValue: { ...settings, MODEL: model } },
    { provide: Database, useValue: database },
    { provide: TenantReads, useValue: reads },
    { provide: DatabaseNodes, useValue: database.nodes },
    CredentialCache,
    { provide: Clock, useValue: clock },
    { provide: Digest, useClass: Sha256Digest },
    { provide: Cryptography, useClass: NodeCryptography },
    { provide: TransparencyLog, useValue: transparencyLog },
    { provide: Webhooks, useValue: webhooks },
    { provide: TaskLeases, useValue: transparencyLog.leases },
    { provide: Telemetry, useValue: telemetry },
    { provide: EventStore, useValue: store },
    { provide: EventLog, useValue: log },
    { provide: Sessions, useValue: sessions },
    { provide: ReadSessions, useValue: sessions.reading(log) },
    { provide: Encryption, useValue: encryption },
    { provide: Helpers, useValue: new PostgresHelpers(database) },
    { provide: SessionList, useValue: new PostgresSessionList(database, encryption, settings.SEARCH_LANGUAGE, reads) },
    { provide: Outbox, useValue: new PostgresOutbox(database, presence) },
    { provide: JobQueue, useValue: queue },
    { provide: LiveBus, useValue: live },
    { provide: ComputePool, useValue: compute },
    { provide: Blobs, useValue: blobs },
    { provide: UnusedObjects, useValue: new PostgresUnusedObjects(database, objects, settings.BLOB_STORE_TIMEOUT_MS) },
    { provide: ColdSessions, useValue: cold },
    { provide: SessionFolders, useValue: new WorkspaceRemoval(workspacesDirectory(settings)) },
    { provide: SessionFiles, useValue: files },
    { provide: Images, useValue: new ImageProcessPool(images) },
    { provide: GateSource, useValue: gates },
    { provide: Hooks, useValue: tracedHooks(matchingHooks(settings, { hooks, tenants, sandbox, clock }), telemetry) },
    { provide: Model, useValue: tracedModel(client, telemetry) },
    { provide: TenantConfiguration, useValue: tenants },
    { provide: UpstreamKeys, useValue: upstreamKeys },
    { provide: Memories, useValue: memories },
    { provide: Skills, useValue: skills },
    { provide: Agents, useValue: agents },
    { provide: Plugins, useValue: plugins },
    { provide: Tools, useValue: tracedTools(new ToolRegistry(tools), telemetry) },
    { provide: AttachmentProviders, useValue: attachments },
    {
      provide: SessionQueries,
      useFactory: (reads: ReadSessions, list: SessionList, digest: Digest) => new LogQueries(log, reads, list, gates, settings, digest, blobs, model),
      inject: [ReadSessions, SessionList, Digest],
    },
    TransparencyQueries,
    LogAudit,
    AuditQueries,
    BackgroundAudits,
    LogExport,
  ];
}
