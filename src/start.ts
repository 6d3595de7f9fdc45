import { mkdir, stat } from 'node:fs/promises';
import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { fileURLToPath } from 'node:url';
import type { AddressInfo } from 'node:net';
import { waitForService } from './adapters/postgres/connection/wait-for-service.js';
import { openDatabase } from './adapters/postgres/open-database.js';
import { migrateQueue } from './adapters/queue/migrate-queue.js';
import { queueBoard } from './adapters/queue/queue-board.js';
import { PinoLogger } from './adapters/telemetry/pino-logger.js';
import { startTracing } from './adapters/telemetry/tracing.js';
import { AppModule } from './app.module.js';
import { type Settings, SettingsError } from './config/env.js';
import { Accounts, Model } from './core/ports.js';
import { isKnownModel } from './core/models/profiles.js';
import { ruleFault } from './core/permissions/rule.js';
import { VERSION } from './core/version.js';
import { bootstrap } from './bootstrap.js';
import { Operators, operatorsProblem } from './http/access/operators.js';
import { Drain } from './http/drain.js';
import { closeHttp, HTTP_OPTIONS, prepareHttp } from './http/http-app.js';
import { Worker } from './worker/worker.js';
import { GATES } from './core/gates.js';

export interface Running {
  readonly url: string;
  readonly accounts: Accounts;
  readonly provider: Model['provider'];
  /** The token created by this start, if it is the first one; else null. */
  readonly firstToken: string | null;
  /** Releases everything: work first, database last. */
  stop(): Promise<void>;
}

/** Compiled, this file lies in dist/src. */
const MIGRATIONS = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));

/** Path of the operators' queue dashboard. */
const QUEUE_BOARD = '/admin/queues';

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
  const logger = new PinoLogger(settings.LOG_LEVEL);
  if (settings.MODEL !== undefined && !isKnownModel(settings.MODEL)) {
    logger.warn(
      `MODEL: ${settings.MODEL} is not a model that this version knows. Requests get the limits of the strictest profile; see docs/operations.md.`,
      'Start',
    );
  }
  const report = (problem: string, error: unknown): void =>
    logger.warn(error === null || error === undefined ? problem : `${problem}: ${String(error)}`, 'Outside');
  const closing: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (let close = closing.pop(); close; close = closing.pop()) await close();
  };
  try {
    if (settings.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined) {
      const tracing = await startTracing({ version: VERSION, role: settings.ROLE, report });
      closing.push(() => tracing.stop());
    }
    if (settings.DATABASE_URL === undefined) await mkdir(settings.DATA_DIR, { recursive: true });
    const database = await openDatabase({
      url: settings.DATABASE_URL,
      appUrl: settings.DATABASE_APP_URL,
      dataDir: settings.DATA_DIR,
      migrations: MIGRATIONS,
      waitMs: settings.START_TIMEOUT_MS,
      statementTimeoutMs: settings.DATABASE_TIMEOUT_MS,
      signal,
      report: (line) => logger.warn(line, 'Start'),
      log: (line) => logger.debug(line, 'Postgres'),
    });
    closing.push(() => database.close());
    signal?.throwIfAborted();
    if (settings.REDIS_URL === undefined) await migrateQueue(database.ownerUrl);

    const { module, resources } = await AppModule.with({ settings, databaseUrl: database.appUrl, directDatabaseUrl: database.directUrl, report });
    closing.push(
      () => resources.database.close(),
      () => resources.blobs.close(),
      () => resources.live.close(),
      () => resources.gates.close(),
      async () => resources.compute.close(),
      async () => resources.images.close(),
      () => resources.mcp.close(),
    );
    const app = await NestFactory.create<NestExpressApplication>(module, { ...HTTP_OPTIONS, logger, abortOnError: false });
    closing.push(() => closeHttp(app, settings.SHUTDOWN_GRACE_MS));
    prepareHttp(app, VERSION);
    if (settings.OPERATOR_TOKEN !== undefined && settings.ROLE !== 'worker') {
      app.use(QUEUE_BOARD, app.get(Operators).pages(), queueBoard(resources.queue, QUEUE_BOARD), operatorsProblem);
    }
    const accounts = app.get(Accounts);
    const firstToken = database.embedded && settings.ROLE !== 'worker' ? await bootstrap(accounts, settings.DATA_DIR, settings.HOST) : null;
    const worker = app.get(Worker);
    closing.push(() => worker.stop());
    closing.push(async () => app.get(Drain).begin());
    const wait = { timeoutMs: settings.START_TIMEOUT_MS, signal, report: (line: string) => logger.warn(line, 'Start') };
    const service = `the job queue on ${settings.REDIS_URL === undefined ? 'Postgres' : 'Redis'}`;
    await waitForService(service, wait, () => resources.queue.ping()).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw new SettingsError(`${service} did not answer within START_TIMEOUT_MS: ${String(error)}. Check that it runs, and its address.`, { cause: error });
    });
    await worker.start();
    signal?.throwIfAborted();
    await app.listen(settings.PORT, settings.HOST);
    const { port } = app.getHttpServer().address() as AddressInfo;
    const url = `http://${settings.HOST.includes(':') ? `[${settings.HOST}]` : settings.HOST}:${port}`;
    new Logger('Start').log(`${settings.ROLE} is ready on ${url}`);
    return { url, accounts, provider: app.get(Model).provider, firstToken, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
