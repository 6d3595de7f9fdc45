import { z } from 'zod';

/**
 * The one place where the environment is read. Every setting has a name, a default where there can be one, and a line in `.env.example`.
 */

const milliseconds = (fallback: number) => z.coerce.number().int().min(1).default(fallback);
const count = (fallback: number, max = 1_000_000) => z.coerce.number().int().min(1).max(max).default(fallback);
const flag = (fallback: boolean) => z.enum(['true', 'false']).default(fallback ? 'true' : 'false').transform((value) => value === 'true');
const text = z.string().min(1).optional();

const gateList = z
  .string()
  .default('')
  .transform((list) => list.split(',').map((name) => name.trim()).filter((name) => name !== ''));

const schema = z.object({
  PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  HOST: z.string().min(1).default('127.0.0.1'),
  ROLE: z.enum(['all', 'api', 'worker']).default('all'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  DATA_DIR: z.string().min(1).default('./.data'),

  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  DATABASE_APP_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  DATABASE_POOL_SIZE: count(20, 1_000),
  DATABASE_TIMEOUT_MS: milliseconds(10_000),
  REDIS_URL: z.url({ protocol: /^rediss?$/ }).optional(),

  ANTHROPIC_API_KEY: text,
  ANTHROPIC_BASE_URL: z.url({ protocol: /^https?$/ }).optional(),
  MODEL: text,
  MAX_OUTPUT_TOKENS: count(16_000),
  MODEL_ATTEMPTS: count(4, 100),
  MODEL_RETRY_MAX_MS: milliseconds(60_000),
  MODEL_TIMEOUT_MS: milliseconds(600_000),
  GATES: gateList,
  HOOKS_FILE: text,
  HOOK_TIMEOUT_MS: milliseconds(60_000),
  HOOK_OUTPUT_CHARACTERS: count(10_000),
  HOOK_ANSWER_BYTES: count(1024 * 1024, 64 * 1024 * 1024),
  HOOK_ALLOW_PRIVATE: flag(false),
  TENANT_HOOK_TIMEOUT_MS: milliseconds(10_000),
  MAX_TENANT_HOOKS: count(20, 1_000),
  MAX_SETTINGS_BYTES: count(256 * 1024, 16 * 1024 * 1024),

  SKILLS_DIR: text,
  MAX_SKILLS: count(1_000, 100_000),
  MAX_SKILL_BYTES: count(256 * 1024, 16 * 1024 * 1024),
  MAX_SKILL_FILE_BYTES: count(64 * 1024, 16 * 1024 * 1024),

  AUTH_JWKS_URL: z.url({ protocol: /^https?$/ }).optional(),
  AUTH_JWT_SECRET: z.string().min(32, 'must have at least 32 characters').optional(),
  AUTH_JWT_ISSUER: text,
  AUTH_JWT_AUDIENCE: text,
  OPERATOR_TOKEN: z.string().min(32, 'must have at least 32 characters').optional(),
  RATE_LIMIT_PER_MINUTE: count(60_000),
  AUTH_FAILURES_PER_MINUTE: count(600),

  MAX_BODY_BYTES: count(32 * 1024 * 1024, 1024 * 1024 * 1024),
  MAX_IMPORT_BYTES: count(256 * 1024 * 1024, 16 * 1024 * 1024 * 1024),
  MAX_IMPORT_LINE_BYTES: count(32 * 1024 * 1024, 256 * 1024 * 1024),
  MAX_IMPORT_LINES: count(200_000, 10_000_000),
  MAX_JSON_DEPTH: count(200, 10_000),
  MAX_PROMPT_CHARACTERS: count(4_000_000, 100_000_000),
  MAX_QUEUED_PROMPTS: count(1_000),
  MAX_REQUESTS_PER_TURN: count(50),
  MAX_WAIT_SECONDS: count(60, 3_600),

  HEAVY_PROCESSES: count(1, 64),
  HEAVY_QUEUE: count(16, 10_000),
  HEAVY_TIMEOUT_MS: milliseconds(60_000),
  HEAVY_MEMORY_MB: z.coerce.number().int().min(64).max(65_536).default(1_024),

  STREAM_HEARTBEAT_MS: milliseconds(15_000),
  STREAM_BUFFER_BYTES: count(1024 * 1024, 1024 * 1024 * 1024),
  STREAM_STALL_MS: milliseconds(120_000),
  STREAMS_PER_USER: count(5_000),

  WORKER_CONCURRENCY: count(50, 1_000),
  TENANT_CONCURRENCY: count(40, 100_000),
  JOB_LOCK_MS: milliseconds(6_000),
  OUTBOX_POLL_MS: milliseconds(500),
  STALLED_AFTER_MS: milliseconds(30_000),
  SHUTDOWN_GRACE_MS: milliseconds(10_000),
  SESSION_CACHE_BYTES: count(64 * 1024 * 1024, 16 * 1024 * 1024 * 1024),
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
  const result = schema.safeParse(given);
  const faults = result.success ? [] : result.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
  if (given['AUTH_JWKS_URL'] && given['AUTH_JWT_SECRET']) faults.push('  AUTH_JWKS_URL, AUTH_JWT_SECRET: set one of them, not both');
  if (given['DATABASE_APP_URL'] && !given['DATABASE_URL']) faults.push('  DATABASE_APP_URL: needs DATABASE_URL, the owner that runs the migrations');
  if (!result.success || faults.length > 0) throw new SettingsError(`The settings are not usable:\n${faults.join('\n')}`);
  const { data } = result;
  return { ...data, PORT: data.PORT ?? (data.ROLE === 'worker' ? 0 : 3000) };
}
