import { existsSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { OnlineMigrations } from './platform/postgres/migrations/online-migrations.js';
import { openDatabase } from './platform/postgres/open-database.js';
import { PinoLogger } from './platform/telemetry/pino-logger.js';
import { terminalLines } from './platform/telemetry/terminal-lines.js';
import { startTracing } from './platform/telemetry/tracing.js';
import type { Application } from './application.js';
import { type Settings, SettingsError } from './platform/config/env.js';
import { readModelsFile } from './engine/model/models-file.js';
import { useOwnModels } from '../packages/normalizer/models/own-models.js';
import { isKnownModel } from '../packages/normalizer/models/profiles.js';
import { ruleFault } from '../packages/protocol/permissions/rule.js';
import { VERSION } from '../packages/protocol/version.js';
import { GATES } from '../packages/protocol/gates.js';
import { SCHEMA_FOLDERS } from './schema-folders.js';

export interface Running extends Application {
  /** Releases everything: work first, database last. */
  stop(): Promise<void>;
}

/** Folders of settings that are not there. Files that settings name are checked by their readers. */
async function unusableFolders({ SKILLS_DIR, PLUGINS_DIR }: Settings): Promise<readonly string[]> {
  const faults = Object.entries({ SKILLS_DIR, PLUGINS_DIR }).map(async ([name, folder]) => {
    const isFolder = folder === undefined || (await stat(folder).catch(() => null))?.isDirectory();
    return isFolder ? [] : [`${name}: ${folder} is not a folder that this process can read`];
  });
  return (await Promise.all(faults)).flat();
}

/**
 * Starts a process in the role of the settings. Waits up to START_TIMEOUT_MS for the database and the queue. After an error, or when `signal` is aborted,
 * everything that was opened is closed again and the call rejects.
 */
export async function start(settings: Settings, signal?: AbortSignal): Promise<Running> {
  const gates: readonly string[] = GATES;
  const unknown = settings.GATES.filter((name) => !gates.includes(name));
  if (unknown.length > 0)
    throw new SettingsError(`The settings are not usable:\n  GATES: there is no gate named ${unknown.join(', ')}; there are ${gates.join(', ')}`);
  const unreadable = Object.values(settings.PERMISSIONS)
    .flat()
    .filter((rule) => ruleFault(rule) !== null);
  if (unreadable.length > 0) {
    throw new SettingsError(
      `The settings are not usable:\n${unreadable.map((rule) => `  PERMISSIONS: ${JSON.stringify(rule)} ${ruleFault(rule)}`).join('\n')}`,
    );
  }
  const unusable = await unusableFolders(settings);
  if (unusable.length > 0) throw new SettingsError(`The settings are not usable:\n${unusable.map((line) => `  ${line}`).join('\n')}`);
  const models = settings.MODELS_FILE === undefined ? [] : readModelsFile(settings.MODELS_FILE);
  useOwnModels(models);
  const isText = settings.LOG_FORMAT === 'text' || (settings.LOG_FORMAT === undefined && process.stdout.isTTY);
  const logger = new PinoLogger(settings.LOG_LEVEL, isText ? terminalLines(process.stdout) : undefined);
  if (settings.MODEL !== undefined && !isKnownModel(settings.MODEL)) {
    logger.warn(
      `MODEL: ${settings.MODEL} is not a model that this version knows. Requests get the limits of the strictest profile; MODELS_FILE can name others, see docs/usage.md.`,
      'Start',
    );
  }
  const report = (problem: string, error: unknown): void =>
    logger.warn(error === null || error === undefined ? problem : `${problem}: ${String(error)}`, 'Outside');
  const deadline = performance.now() + settings.START_TIMEOUT_MS;
  const closing: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (let close = closing.pop(); close; close = closing.pop()) await close();
  };
  // Loading it takes about as long as starting the database: the two overlap. A failure is reported where it is awaited.
  const application = import('./application.js');
  application.catch(() => undefined);
  try {
    if (settings.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined) {
      const tracing = await startTracing({ version: VERSION, role: settings.ROLE, report });
      closing.push(() => tracing.stop());
    }
    if (settings.DATABASE_URL === undefined) {
      await mkdir(settings.DATA_DIR, { recursive: true });
      const isNew = !existsSync(path.join(settings.DATA_DIR, 'postgres'));
      logger.log(`${isNew ? 'Creating' : 'Starting'} the embedded database in ${settings.DATA_DIR}…`, 'Start');
    }
    const database = await openDatabase({
      url: settings.DATABASE_URL,
      appUrl: settings.DATABASE_APP_URL,
      readUrl: settings.DATABASE_READ_URL,
      dataDir: settings.DATA_DIR,
      ...SCHEMA_FOLDERS,
      waitMs: settings.START_TIMEOUT_MS,
      statementTimeoutMs: settings.DATABASE_TIMEOUT_MS,
      setupTimeoutMs: settings.DATABASE_SETUP_TIMEOUT_MS,
      signal,
      report: (line) => logger.warn(line, 'Start'),
      log: (line) => logger.debug(line, 'Postgres'),
    });
    closing.push(() => database.close());
    signal?.throwIfAborted();
    const { startApplication } = await application;
    const started = await startApplication({ settings, models, database, deadline, logger, report, signal, closing });
    const online = new OnlineMigrations({
      url: database.ownerUrl,
      directory: SCHEMA_FOLDERS.migrations,
      setupTimeoutMs: settings.DATABASE_SETUP_TIMEOUT_MS,
      log: (line) => logger.log(line, 'Postgres'),
      report,
    });
    online.start();
    closing.push(() => online.stop());
    return { ...started, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
