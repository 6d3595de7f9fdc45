import type { DatabaseAddress } from './platform/postgres/connection/client-options.js';
import { Logger } from '@nestjs/common';
import { ClientSent } from './engine/attachments/client-sent.js';
import { CurrentDate } from './engine/attachments/current-date.js';
import { PlanMode } from './engine/attachments/plan-mode.js';
import { TenantInstructions, WorkspaceInstructions } from './engine/attachments/instructions.js';
import { MemoryListing } from './engine/attachments/memory-listing.js';
import { SkillListing } from './engine/attachments/skill-listing.js';
import type { Hook } from './engine/hooks/definition.js';
import type { HookSandbox } from './engine/hooks/hook-context.js';
import { MatchingHooks } from './engine/hooks/hooks.js';
import { ProcessPool } from './platform/compute-pool/process-pool.js';
import { OfflineModel } from './engine/model/offline/offline-model.js';
import { type Plugin, pluginFolders } from './engine/plugins/installed-plugins.js';
import { type InstalledSkills, type SkillRoot, SKILLS_PATH, type SkillSettings } from './engine/skills/installed-skills.js';
import { ResourceMentions } from './engine/mcp/resource-mentions.js';
import type { CacheLimits } from './engine/store/cached-sessions.js';
import type { OnRefusal } from './engine/store/refusals.js';
import { McpTools } from './engine/mcp/mcp-tools.js';
import type { McpServer } from './engine/mcp/server.js';
import { hasProgram, workspaceProviders, workspacesDirectory } from './engine/tools/builtin-tools.js';
import type { Shell } from './engine/tools/bash/shell.js';
import type { ReadOnlyFolders, Workspaces } from './engine/tools/workspaces/workspaces.js';
import type { Settings } from './platform/config/env.js';
import { answersOffline } from './platform/config/offline.js';
import {
  type AttachmentProviders,
  type Clock,
  type Memories,
  Model,
  type ReadOnlyFolder,
  Skills,
  type Telemetry,
  TenantConfiguration,
  type UpstreamKeys,
} from './ports/index.js';
import type { OwnModel } from '../packages/normalizer/models/own-models.js';
import { faultIn } from '../packages/protocol/events/tampered.js';
import type { ComputeSetup } from './compute.process.js';
import type { ImageSetup } from './images.process.js';

/** Adapters that are made from many settings; `app.module.ts` binds them. */

export interface Connections {
  readonly settings: Settings;
  /** What MODELS_FILE says. */
  readonly models: readonly OwnModel[];
  /** The application's login, directly or through a connection pooler. */
  readonly databaseAt: DatabaseAddress;
  /** The same login without a pooler in between, for connections that LISTEN. */
  readonly directDatabaseUrl: string;
  /** The same login at each address of standbys. */
  readonly standbyUrls: readonly string[];
  readonly report: (problem: string, error: unknown) => void;
}

export function skillSettings(
  { SKILLS_DIR, MAX_SKILLS, MAX_SKILL_BYTES, MAX_SKILL_FILE_BYTES, TOOLS }: Settings,
  pluginRoots: readonly SkillRoot[],
  report: Connections['report'],
): SkillSettings {
  const limits = { maxSkills: MAX_SKILLS, maxSkillBytes: MAX_SKILL_BYTES, maxFileBytes: MAX_SKILL_FILE_BYTES };
  const own = SKILLS_DIR === undefined ? [] : [{ directory: SKILLS_DIR, path: SKILLS_PATH, plugin: null }];
  const roots = [...own, ...pluginRoots];
  return {
    roots,
    ...limits,
    hasProgram: TOOLS.includes('Bash') ? hasProgram : null,
    hasHelpers: TOOLS.includes('Agent'),
    report: (problem) => report(problem, null),
  };
}

/** An idle compute process exits after this, to release its memory. */
const COMPUTE_IDLE_MS = 10_000;

export function computeProcesses({ settings, models, databaseAt, standbyUrls }: Connections): ProcessPool {
  const setup: ComputeSetup = { settings, models, databaseAt, standbyUrls };
  return new ProcessPool({
    program: new URL('./compute.process.js', import.meta.url),
    setup,
    processes: settings.COMPUTE_PROCESSES,
    queue: settings.COMPUTE_QUEUE,
    timeoutMs: settings.COMPUTE_TIMEOUT_MS,
    memoryMb: settings.COMPUTE_MEMORY_MB,
    idleMs: COMPUTE_IDLE_MS,
  });
}

/** Decoders allocate a few large blocks: with these settings glibc returns them to the system at once instead of keeping more than twice the memory. */
const IMAGE_ENVIRONMENT = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '262144', MALLOC_TRIM_THRESHOLD_: '262144' };
/** JavaScript heap; pixels are outside of it. */
const IMAGE_MEMORY_MB = 128;
const IMAGE_IDLE_MS = 60_000;
/** Unbounded in practice: accepted prompts are never rejected here. */
const IMAGE_QUEUE = 1_000_000;

export function imageProcesses(settings: Settings, databaseAt: DatabaseAddress): ProcessPool {
  const setup: ImageSetup = { settings, databaseAt };
  return new ProcessPool({
    program: new URL('./images.process.js', import.meta.url),
    setup,
    processes: settings.IMAGE_CONCURRENCY,
    queue: IMAGE_QUEUE,
    timeoutMs: settings.IMAGE_TIMEOUT_MS + 2 * settings.DATABASE_TIMEOUT_MS,
    memoryMb: IMAGE_MEMORY_MB,
    environment: IMAGE_ENVIRONMENT,
    idleMs: IMAGE_IDLE_MS,
  });
}

export interface AttachmentParts {
  readonly tenants: TenantConfiguration;
  readonly skills: Skills;
  readonly workspaces: Workspaces | null;
  readonly shell: Shell | null;
  readonly mcp: McpTools;
  readonly memories: Memories;
}

export function attachmentProviders(settings: Settings, { tenants, skills, workspaces, shell, mcp, memories }: AttachmentParts): AttachmentProviders {
  const ofFolder = workspaceProviders(settings, workspaces, shell);
  const directory = () => workspaces?.directory() ?? Promise.resolve(workspacesDirectory(settings));
  return {
    all: [new ClientSent(), ...ofFolder.all, new ResourceMentions(mcp, settings.MCP_RESOURCE_TIMEOUT_MS)],
    standing: [
      new TenantInstructions(tenants, settings.MEMORY_CHARACTERS),
      new WorkspaceInstructions(directory, async (tenantId, sessionId) => workspaces?.of(tenantId, sessionId), settings.MEMORY_CHARACTERS),
      new SkillListing(skills, settings.SKILL_LISTING_CHARACTERS),
      new MemoryListing(memories, settings.MEMORY_LISTING_CHARACTERS),
      ...ofFolder.standing,
      new PlanMode(),
      ...(settings.CURRENT_DATE ? [new CurrentDate()] : []),
    ],
  };
}

export function mcpTools(servers: readonly McpServer[], tenants: TenantConfiguration, { settings, report }: Connections): McpTools {
  return new McpTools(servers, tenants, {
    allowPrivate: settings.MCP_ALLOW_PRIVATE,
    onFailure: (problem) => report(problem, null),
    settings: {
      connectTimeoutMs: settings.MCP_CONNECT_TIMEOUT_MS,
      callTimeoutMs: settings.MCP_CALL_TIMEOUT_MS,
      listTtlMs: settings.MCP_LIST_TTL_MS,
      idleMs: settings.MCP_IDLE_MS,
      maxConnections: settings.MCP_MAX_CONNECTIONS,
      maxTools: settings.MCP_MAX_TOOLS,
      toolCharacters: settings.MCP_TOOL_CHARACTERS,
      resultCharacters: settings.MCP_RESULT_CHARACTERS,
      messageBytes: settings.MCP_MESSAGE_BYTES,
      environment: process.env,
    },
  });
}

/** Without an API key or base URL, the built-in offline model answers, and the SDK is not loaded. */
export async function modelOf(settings: Settings, keys: UpstreamKeys): Promise<Model> {
  const { ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL, ANTHROPIC_BETAS, MODEL_TIMEOUT_MS, CONTEXT_WINDOW_TOKENS } = settings;
  if (answersOffline(settings)) return new OfflineModel(CONTEXT_WINDOW_TOKENS ?? null);
  const { AnthropicModel } = await import('./engine/model/anthropic-model.js');
  return new AnthropicModel({
    ...{ apiKey: ANTHROPIC_API_KEY ?? null, baseUrl: ANTHROPIC_BASE_URL ?? null, betas: ANTHROPIC_BETAS, timeoutMs: MODEL_TIMEOUT_MS },
    keyOf: (tenantId) => keys.of(tenantId),
  });
}

/** An alert is on the counter; the log names session and event. */
export function reportRefusals(telemetry: Telemetry): OnRefusal {
  const log = new Logger('RefusedLog');
  return (refusal) => {
    log.error(refusal.message);
    telemetry.count('refused_logs', { kind: faultIn(refusal)?.kind ?? 'unreadable' });
  };
}

export function cacheLimits({ SESSION_CACHE_IDLE_MS: idleMs }: Settings, telemetry: Telemetry, onRefusal: OnRefusal): CacheLimits {
  const measure = (count: number, bytes: number): void => {
    telemetry.gauge('session_cache_sessions', count);
    telemetry.gauge('session_cache_bytes', bytes);
  };
  return { idleMs, clock: () => performance.now(), onRefusal, measure };
}

/** The folders of skills and plugins, by the paths that the model is told. */
export const toldFolders = ({ SKILLS_DIR }: Settings, plugins: readonly Plugin[]): readonly ReadOnlyFolder[] => [
  ...(SKILLS_DIR === undefined ? [] : [{ path: SKILLS_PATH, directory: SKILLS_DIR }]),
  ...plugins,
];

/** What a tenant's sessions may read besides their own folder. The file tools read it with the server's account; the shell shows what its accounts can enter. */
export function readOnlyFolders(skills: InstalledSkills, plugins: readonly Plugin[], tenants: TenantConfiguration): ReadOnlyFolders {
  return (tenantId) =>
    Promise.all([skills.folders(tenantId), pluginFolders(plugins, tenants, tenantId)]).then(
      (found) => found.flat(),
      () => [],
    );
}

interface HookParts {
  readonly hooks: readonly Hook[];
  readonly tenants: TenantConfiguration;
  readonly sandbox: HookSandbox | null;
  readonly clock: Clock;
}

/** The hooks of the operator and of tenants. */
export function matchingHooks(settings: Settings, { hooks, tenants, sandbox, clock }: HookParts): MatchingHooks {
  const terms = { timeoutMs: settings.TENANT_HOOK_TIMEOUT_MS, maxHooks: settings.MAX_TENANT_HOOKS, allowPrivate: settings.HOOK_ALLOW_PRIVATE };
  const limits = { outputCharacters: settings.HOOK_OUTPUT_CHARACTERS, answerBytes: settings.HOOK_ANSWER_BYTES };
  return new MatchingHooks(hooks, tenants, terms, { directory: process.cwd(), sandbox, environment: process.env, ...limits }, clock);
}
