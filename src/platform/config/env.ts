import { z } from 'zod';
import { WORKSPACE_SETTINGS } from './workspace-settings.js';
import { HELPER_SETTINGS } from './helper-settings.js';
import { MCP_SETTINGS } from './mcp-settings.js';
import { MEMORY_SETTINGS } from './memory-settings.js';
import { OBJECT_STORAGE_SETTINGS } from './object-storage-settings.js';
import { SCHEDULE_SETTINGS } from './schedule-settings.js';
import { SESSION_FILE_SETTINGS } from './session-file-settings.js';
import { RENAMED } from './earlier-names.js';
import { milliseconds, lease, count, flag, share, text, toolList } from './kinds.js';
import { permissions, textList, isLoopbackHost, origin, originList, urlList, witnessList, SEARCH_LANGUAGES } from './kinds.js';
import { databaseUrl, standbyUrl } from './database-url.js';
import { modelPrices } from './model-prices.js';
import { redisUrl } from './redis-url.js';
import { faultIn } from './setting-faults.js';

/**
 * The one place where the environment is read. Every setting has a name, a default where there can be one, and a line in `.env.example`.
 */

const schema = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  HOST: z.string().min(1).default('127.0.0.1'),
  ROLE: z.enum(['all', 'api', 'worker']).default('all'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  LOG_FORMAT: z.enum(['json', 'text']).optional(),
  DATA_DIR: z.string().min(1).default('./.data'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),

  DATABASE_URL: databaseUrl.optional(),
  DATABASE_APP_URL: databaseUrl.optional(),
  DATABASE_POOL_SIZE: count(12, 1_000),
  DATABASE_APPEND_POOL_SIZE: count(8, 1_000),
  DATABASE_QUEUE_POOL_SIZE: count(6, 1_000),
  DATABASE_BLOB_POOL_SIZE: count(4, 1_000),
  DATABASE_READ_URL: standbyUrl.optional(),
  DATABASE_READ_POOL_SIZE: count(6, 1_000),
  DATABASE_READ_WAIT_MS: milliseconds(50),
  DATABASE_READ_SILENCE_MS: milliseconds(2_000),
  ...OBJECT_STORAGE_SETTINGS,
  GROUP_COMMIT_SIZE: count(16, 100),
  DATABASE_TIMEOUT_MS: milliseconds(10_000),
  DATABASE_SETUP_TIMEOUT_MS: milliseconds(60_000),
  START_TIMEOUT_MS: milliseconds(300_000),
  LIVE_BUCKETS: count(64, 4_096),
  REDIS_URL: redisUrl.optional(),
  REDIS_CA_FILE: text,

  ANTHROPIC_API_KEY: text,
  ANTHROPIC_BASE_URL: z.url({ protocol: /^https?$/ }).optional(),
  ANTHROPIC_BETAS: z
    .string()
    .regex(/^[\w.,-]*$/, 'must be beta names separated by commas')
    .default('thinking-binding-controls-2026-08-01')
    .transform((names) => (names === 'none' ? '' : names)),
  GATEWAY: z.enum(['on', 'off']).default('on'),
  GATEWAY_DURABLE: z.enum(['answer', 'async']).default('answer'),
  GATEWAY_THREADS: z.enum(['on', 'off']).default('on'),
  UPSTREAM_AUTH: z.enum(['own', 'forward']).default('own'),
  GATEWAY_OTHER_ROUTES: z.enum(['off', 'on']).default('off'),
  MODEL: text,
  MODEL_PROVIDER: z.enum(['anthropic', 'bedrock', 'vertex', 'foundry']).optional(),
  MAX_OUTPUT_TOKENS: count(16_000),
  MODEL_ATTEMPTS: count(4, 100),
  MAX_LOST_WORKERS: count(20, 1_000),
  MODEL_RETRY_MAX_MS: milliseconds(60_000),
  MODEL_TIMEOUT_MS: milliseconds(600_000),
  GATES: textList(),
  TITLES: z.enum(['off', 'first-turn']).default('off'),
  TITLE_MODEL: text,
  AUTO_COMPACT: flag(true),
  COMPACT_AT_SHARE: share(0.8),
  COMPACT_KEEP_TURNS: z.coerce.number().int().min(0).max(1_000).default(2),
  COMPACT_KEEP_SHARE: share(0.25),
  CONTEXT_WINDOW_TOKENS: z.coerce.number().int().min(500).max(100_000_000).optional(),
  HOOKS_FILE: text,
  HOOK_TIMEOUT_MS: milliseconds(60_000),
  HOOK_OUTPUT_CHARACTERS: count(10_000),
  HOOK_ANSWER_BYTES: count(1024 * 1024, 64 * 1024 * 1024),
  HOOK_ALLOW_PRIVATE: flag(false),
  TENANT_HOOK_TIMEOUT_MS: milliseconds(10_000),
  MAX_TENANT_HOOKS: count(20, 1_000),
  MAX_SETTINGS_BYTES: count(256 * 1024, 16 * 1024 * 1024),

  TOOLS: toolList,
  WORKSPACES_DIR: text,
  ...WORKSPACE_SETTINGS,
  ...MEMORY_SETTINGS,
  BASH_TIMEOUT_MS: milliseconds(120_000),
  BASH_MAX_TIMEOUT_MS: milliseconds(600_000),
  BASH_OUTPUT_CHARACTERS: count(30_000),
  BASH_MAX_OUTPUT_MB: count(64, 4_096),
  BASH_MEMORY_MB: z.coerce.number().int().min(16).max(1_048_576).default(1_024),
  BASH_PROCESSES: z.coerce.number().int().min(8).max(100_000).default(128),
  BASH_FILE_MB: count(1_024),
  BASH_USER: z
    .string()
    .regex(/^[1-9]\d{0,9}(:[1-9]\d{0,9})?$/, 'must be the number of an account, or of one and of a group: 1000 or 1000:1000')
    .optional(),
  BASH_SANDBOX: z.enum(['auto', 'bwrap', 'none']).default('auto'),
  BASH_NETWORK: z.enum(['on', 'off']).default('off'),
  FILE_READ_CHARACTERS: z.coerce.number().int().min(5_000).max(10_000_000).default(50_000),
  FILE_MAX_BYTES: count(10 * 1024 * 1024, 256 * 1024 * 1024),
  FILE_SEARCH_ENTRIES: count(100_000),
  FILE_PATH_PARTS: count(1_024, 100_000),
  FILE_FOLDER_DEPTH: count(256, 1_024),
  FILE_TIMEOUT_MS: milliseconds(20_000),

  PERMISSIONS: permissions,
  MODELS_FILE: text,
  MODEL_PRICES: modelPrices,
  QUOTA_REFRESH_MS: milliseconds(5_000),
  TOOL_CONCURRENCY: count(8, 1_000),
  MAX_TOOL_CALLS_PER_ANSWER: count(64, 10_000),
  REFUSED_PROMPTS: z.enum(['withdraw', 'keep']).default('withdraw'),
  MAX_TOOL_RESULT_CHARACTERS: count(100_000, 100_000_000),
  TOOL_STOP_GRACE_MS: milliseconds(5_000),
  TOOL_RESULT_TIMEOUT_MS: milliseconds(3_600_000),
  ...HELPER_SETTINGS,
  MAX_STOP_CONTINUATIONS: count(8, 1_000),

  ATTACHMENT_TIMEOUT_MS: milliseconds(1_000),
  CURRENT_DATE: flag(true),
  GIT_STATUS: flag(true),
  MEMORY_CHARACTERS: count(40_000),
  SKILL_LISTING_CHARACTERS: count(15_000),

  ...MCP_SETTINGS,

  PLUGINS_DIR: text,
  SKILLS_DIR: text,
  MAX_SKILLS: count(1_000, 100_000),
  MAX_SKILL_BYTES: count(256 * 1024, 16 * 1024 * 1024),
  MAX_SKILL_FILE_BYTES: count(64 * 1024, 16 * 1024 * 1024),

  AUTH_JWKS_URL: z.url({ protocol: /^https?$/ }).optional(),
  AUTH_JWT_SECRET: z.string().min(32, 'must have at least 32 characters').optional(),
  AUTH_JWT_ISSUER: text,
  AUTH_JWT_AUDIENCE: text,
  AUTH_JWT_MAX_AGE_SECONDS: count(86_400, 31_536_000),
  AUTH_JWT_USER_CLAIM: z.string().min(1).default('sub'),
  AUTH_JWT_TENANT_CLAIM: z.string().min(1).default('tenant'),
  AUTH_JWT_ROLE_CLAIM: z.string().min(1).default('role'),
  AUTH_JWT_GROUPS_CLAIM: z.string().min(1).default('groups'),
  AUTH_JWT_MAX_GROUPS: count(200, 10_000),
  AUTH_JWT_ADMIN_ROLES: textList('admin'),
  AUTH_JWT_AUDITOR_ROLES: textList('auditor'),
  AUTH_JWT_MEMBER_ROLES: textList('member'),
  OIDC_ISSUER: z
    .url({ protocol: /^https?$/ })
    .refine((url) => url.startsWith('https:') || isLoopbackHost(new URL(url).hostname), 'must be an https address; http only on this machine')
    .optional(),
  OIDC_CLIENT_ID: text,
  OIDC_CLIENT_SECRET: text,
  OIDC_SCOPES: z
    .string()
    .regex(/^openid(?: [\x21-\x7e]+)*$/, 'must begin with openid; separated by single spaces')
    .default('openid profile email'),
  OIDC_TENANT: text,
  OIDC_ATTEMPT_SECONDS: count(600, 86_400),
  OIDC_TIMEOUT_MS: milliseconds(10_000),
  PUBLIC_URL: origin('must be an origin such as https://chat.example.com').optional(),
  SIGN_IN_LINK_SECONDS: count(900, 86_400),
  SIGN_IN_HOURS: count(168, 8_760),
  SIGN_IN_IDLE_HOURS: count(48, 8_760),
  CORS_ORIGINS: originList,
  CONSOLE: flag(true),
  OPERATOR_TOKEN: z.string().min(32, 'must have at least 32 characters').optional(),
  RATE_LIMIT_PER_MINUTE: count(60_000),
  AUTH_FAILURES_PER_MINUTE: count(600),
  RATE_LIMIT_REDIS_TIMEOUT_MS: milliseconds(500),

  REQUESTS_AT_ONCE: count(64, 10_000),
  TENANT_REQUESTS_AT_ONCE: count(48, 10_000),
  TENANT_REQUESTS_WAITING: count(5_000, 100_000),
  REQUEST_WAIT_MS: milliseconds(30_000),
  REQUEST_HEADERS_TIMEOUT_MS: milliseconds(10_000),
  KEEP_ALIVE_TIMEOUT_MS: milliseconds(75_000),
  MAX_CONNECTIONS_PER_ADDRESS: count(10_000),
  MAX_BODY_BYTES: count(32 * 1024 * 1024, 1024 * 1024 * 1024),
  MAX_IMPORT_BYTES: count(256 * 1024 * 1024, 16 * 1024 * 1024 * 1024),
  MAX_IMPORT_LINE_BYTES: count(32 * 1024 * 1024, 256 * 1024 * 1024),
  MAX_IMPORT_LINES: count(200_000, 10_000_000),
  ...SESSION_FILE_SETTINGS,
  MAX_JSON_DEPTH: count(200, 10_000),
  MAX_JSON_VALUES: count(40_000, 100_000_000),
  MAX_JSON_TEXT_BYTES: count(2 * 1024 * 1024, 1024 * 1024 * 1024),
  MAX_NORMALIZE_VALUES: count(500_000, 100_000_000),
  MAX_CONTENT_BLOCKS: count(2_000),
  MAX_UI_MESSAGES: count(10_000),
  MAX_PASTES_PER_PROMPT: count(1_000),
  MAX_ATTACHMENTS_PER_PROMPT: count(1_000),
  MAX_TOOL_RESULTS: count(1_000),
  MAX_CLIENT_TOOLS: count(1_000),
  MAX_PERMISSION_RULES: count(1_000),
  MAX_CONTEXT_TEXTS: count(1_000),
  MAX_SETTINGS_ENTRIES: count(500),
  MAX_NORMALIZE_MESSAGES: count(250_000, 100_000_000),
  MAX_PROMPT_CHARACTERS: count(1_000_000, 100_000_000),
  MAX_QUEUED_PROMPTS: count(1_000),
  MAX_IMAGES_PER_PROMPT: count(50, 1_000),
  MAX_IMAGE_BYTES: count(16 * 1024 * 1024, 256 * 1024 * 1024),
  MAX_IMAGE_PIXELS: count(50_000_000, 1_000_000_000),
  MAX_DOCUMENTS_PER_PROMPT: count(20, 1_000),
  MAX_DOCUMENT_BYTES: count(20 * 1024 * 1024, 256 * 1024 * 1024),
  MAX_DOCUMENT_PAGES: count(600, 100_000),
  MAX_REQUESTS_PER_TURN: count(50),
  MAX_WAIT_SECONDS: count(60, 3_600),

  SEARCH_LANGUAGE: z.enum(SEARCH_LANGUAGES).default('simple'),
  SEARCH_TEXT_CHARACTERS: count(10_000, 100_000),

  COMPUTE_PROCESSES: count(1, 64),
  COMPUTE_QUEUE: count(16, 10_000),
  COMPUTE_TIMEOUT_MS: milliseconds(60_000),
  COMPUTE_MEMORY_MB: z.coerce.number().int().min(64).max(65_536).default(1_024),

  PRESENCE_MS: milliseconds(30_000),
  SPEAKER_NAMES: flag(false),
  STREAM_HEARTBEAT_MS: milliseconds(15_000),
  STREAM_BUFFER_BYTES: count(1024 * 1024, 1024 * 1024 * 1024),
  STREAM_STALL_MS: milliseconds(120_000),
  STREAM_TICKET_SECONDS: count(60, 3_600),
  STREAMS_PER_USER: count(5_000),
  STREAM_RECHECK_MS: milliseconds(15_000),

  GRANTS_PER_SESSION: count(100, 10_000),
  LINKS_PER_SESSION: count(20, 1_000),
  LINK_DAYS: count(90, 3_650),
  PINS_PER_USER: count(100, 1_000),
  BREAK_GLASS_MINUTES: count(60, 10_080),

  ...SCHEDULE_SETTINGS,

  TURN_DISPATCH: z.enum(['direct', 'queue']).default('direct'),
  WORKER_CONCURRENCY: count(50, 1_000),
  TENANT_CONCURRENCY: count(40, 100_000),
  JOB_LOCK_MS: lease(6_000),
  OUTBOX_POLL_MS: milliseconds(6_000),
  STALLED_AFTER_MS: lease(30_000),
  RECEIPT_RETENTION_DAYS: count(30, 3_650),
  ERASURE_BATCH_EVENTS: count(200, 10_000),
  ERASURE_INTERVAL_MS: milliseconds(30_000),
  ERASURE_CONCURRENCY: count(8, 64),
  READINESS_TIMEOUT_MS: milliseconds(2_000),
  SHUTDOWN_GRACE_MS: milliseconds(10_000),
  SHUTDOWN_LINGER_MS: milliseconds(2_000),

  TLOG_KEY: z
    .string()
    .regex(/^PRIVATE\+KEY\+[^+\s]+\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}$/, 'must be a private key as `verbatim tlog-key NAME` prints it')
    .optional(),
  TLOG_ORIGIN: z
    .string()
    .regex(/^[^\s+]+$/, 'must not contain spaces or plus signs')
    .optional(),
  TLOG_INTERVAL_MS: milliseconds(1_000),
  TLOG_LEASE_MS: milliseconds(30_000),
  EXPORT_PROOF_WAIT_MS: milliseconds(3_000),
  ANCHOR_FILE: text,
  ANCHOR_URLS: urlList,
  ANCHOR_INTERVAL_MS: milliseconds(60_000),
  WITNESSES: witnessList,
  TSA_URL: z.url({ protocol: /^https?$/ }).optional(),
  TSA_INTERVAL_MS: milliseconds(3_600_000),
  AUDIT_INTERVAL_MS: milliseconds(3_600_000),
  AUDIT_SESSIONS: count(1_000),
  AUDIT_CONCURRENCY: count(4, 64),
  AUDIT_ALERT_URLS: urlList,
  WEBHOOK_TIMEOUT_MS: milliseconds(10_000),
  WEBHOOK_ALLOW_PRIVATE: flag(false),

  ENCRYPTION: z.enum(['on', 'off']).default('off'),
  ENCRYPTION_KEYS: text,
  ENCRYPTION_KEY_FILE: text,
  ENCRYPTION_KMS_KEY_ID: text,
  ENCRYPTION_KMS_TIMEOUT_MS: milliseconds(5_000),
  ENCRYPTION_KEY_CACHE: count(10_000),

  IMAGE_CONCURRENCY: count(2, 64),
  IMAGE_TIMEOUT_MS: milliseconds(15_000),
  MEDIA_CACHE_BYTES: count(64 * 1024 * 1024, 16 * 1024 * 1024 * 1024),
  SESSION_CACHE_BYTES: count(64 * 1024 * 1024, 16 * 1024 * 1024 * 1024),
  SESSION_CACHE_IDLE_MS: milliseconds(900_000),
});

export type Settings = Readonly<Omit<z.infer<typeof schema>, 'PORT'> & { PORT: number }>;

/** Injection token of the settings. */
export const SETTINGS = Symbol('settings');

export const SETTING_NAMES: readonly string[] = Object.keys(schema.shape);

/** Every fault of the environment in one error: which setting, what was wrong. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** Reads and checks the environment. A setting that is present but empty counts as left out. */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''));
  for (const [earlier, name] of Object.entries(RENAMED)) given[name] ??= given[earlier];
  const result = schema.safeParse(given);
  const faults = result.success ? [] : result.error.issues.map((issue) => faultIn(issue, given));
  for (const [earlier, name] of Object.entries(RENAMED)) {
    if (given[earlier] !== undefined && given[earlier] !== given[name]) faults.push(`  ${earlier}, ${name}: are the same setting, and have different values`);
  }
  if (given['AUTH_JWKS_URL'] && given['AUTH_JWT_SECRET']) faults.push('  AUTH_JWKS_URL, AUTH_JWT_SECRET: set one of them, not both');
  if (given['AUTH_JWKS_URL'] && !(given['AUTH_JWT_ISSUER'] && given['AUTH_JWT_AUDIENCE'])) {
    faults.push('  AUTH_JWKS_URL: needs AUTH_JWT_ISSUER and AUTH_JWT_AUDIENCE, because the keys of an issuer may sign tokens for other applications');
  }
  if (given['OIDC_ISSUER'] && !(given['OIDC_CLIENT_ID'] && given['PUBLIC_URL'])) {
    faults.push('  OIDC_ISSUER: needs OIDC_CLIENT_ID, and PUBLIC_URL, to which the identity provider sends browsers back');
  }
  if (given['OIDC_CLIENT_ID'] && !given['OIDC_ISSUER']) faults.push('  OIDC_CLIENT_ID: needs OIDC_ISSUER');
  if (result.success && result.data.BLOB_ORPHAN_MS < 2 * (result.data.BLOB_STORE_TIMEOUT_MS + result.data.DATABASE_TIMEOUT_MS)) {
    faults.push(
      '  BLOB_ORPHAN_MS: must be at least twice BLOB_STORE_TIMEOUT_MS and DATABASE_TIMEOUT_MS together, so that nothing is removed while it is stored',
    );
  }
  if (given['ARCHIVE_AFTER_DAYS'] && !given['BLOB_STORE']) faults.push('  ARCHIVE_AFTER_DAYS: needs BLOB_STORE, where the logs of cold sessions are archived');
  if (given['DATABASE_APP_URL'] && !given['DATABASE_URL']) faults.push('  DATABASE_APP_URL: needs DATABASE_URL, the owner that runs the migrations');
  if (given['DATABASE_READ_URL'] && !given['DATABASE_URL']) faults.push('  DATABASE_READ_URL: needs DATABASE_URL, the primary of these standbys');
  if (result.success && result.data.BASH_TIMEOUT_MS > result.data.BASH_MAX_TIMEOUT_MS) faults.push('  BASH_TIMEOUT_MS: is more than BASH_MAX_TIMEOUT_MS');
  if (!result.success || faults.length > 0) throw new SettingsError(`The settings are not usable:\n${faults.join('\n')}`);
  return { ...result.data, PORT: result.data.PORT ?? (result.data.ROLE === 'worker' ? 0 : 3000) };
}
