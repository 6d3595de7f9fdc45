import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { AddressInfo } from 'node:net';
import { waitForService, type WaitOptions } from './platform/postgres/connection/wait-for-service.js';
import type { OpenDatabase } from './platform/postgres/open-database.js';
import { retrySetup } from './platform/postgres/retry-setup.js';
import { migrateQueue } from './platform/queue/migrate-queue.js';
import { leasedTurns } from './engine/store/leased-turns.js';
import type { PinoLogger } from './platform/telemetry/pino-logger.js';
import type { Connections } from './adapter-factories.js';
import { AppModule } from './app.module.js';
import { bootstrap, firstUserOf } from './bootstrap.js';
import { SettingsError } from './platform/config/env.js';
import { Accounts, Model, SignIns } from './ports/index.js';
import { VERSION } from '../packages/protocol/version.js';
import { Operators, operatorsProblem } from './http/access/operators.js';
import { Drain } from './http/drain.js';
import { HttpAdapter } from './http/http-adapter.js';
import { closeHttp, HTTP_OPTIONS, prepareHttp } from './http-app.js';
import { proveRedis, UnusableRedis } from './platform/redis/prove-redis.js';
import { signInLinkOf } from './sign-in-link-address.js';
import { Worker } from './worker.js';

/** Path of the operators' queue dashboard. */
const QUEUE_BOARD = '/admin/queues';

interface Start {
  readonly settings: Connections['settings'];
  readonly models: Connections['models'];
  readonly database: OpenDatabase;
  /** When START_TIMEOUT_MS ends, on the clock of `performance.now()`. */
  readonly deadline: number;
  readonly logger: PinoLogger;
  readonly report: Connections['report'];
  readonly signal: AbortSignal | undefined;
  /** Receives what releases each resource as soon as that is open; to be called in reverse order, also when this start fails. */
  readonly closing: (() => Promise<void>)[];
}

export interface Application {
  readonly url: string;
  readonly accounts: Accounts;
  readonly provider: Model['provider'];
  /** The token created by this start, if it is the first one; else null. */
  readonly firstToken: string | null;
  /** The address of the console with a one-time code, for the user of the first token while that is valid; else null. */
  readonly signInLink: string | null;
  readonly signIns: SignIns;
}

/** Starts the application on a prepared database: modules, worker, HTTP server. */
export async function startApplication({ settings, models, database, deadline, logger, report, signal, closing }: Start): Promise<Application> {
  const wait = { signal, report: (line: string) => logger.warn(line, 'Start') };
  const left = (): number => Math.max(deadline - performance.now(), 0);
  if (settings.REDIS_URL === undefined)
    await retrySetup({ ...wait, waitMs: left() }, () => migrateQueue(database.ownerUrl, settings.DATABASE_SETUP_TIMEOUT_MS, undefined, database.isDistributed));

  if (settings.REDIS_URL !== undefined) await waitForRedis(settings, { ...wait, timeoutMs: left() });

  const { appUrl, directUrl, standbyUrls, isDistributed } = database;
  const { module, resources } = await AppModule.with({
    settings,
    models,
    databaseAt: { url: appUrl, isDistributed },
    directDatabaseUrl: directUrl,
    standbyUrls,
    report,
  });
  closing.push(
    () => resources.database.close(),
    async () => resources.replica?.close(),
    () => resources.presence.close(),
    () => resources.blobs.close(),
    () => resources.transparencyLog.close(),
    async () => resources.webhooks.close(),
    () => resources.live.close(),
    () => resources.gates.close(),
    async () => resources.compute.close(),
    async () => resources.images.close(),
    () => resources.mcp.close(),
  );
  const app = await NestFactory.create<NestExpressApplication>(module, new HttpAdapter(), { ...HTTP_OPTIONS, logger, abortOnError: false });
  const worker = app.get(Worker);
  closing.push(() => worker.close());
  closing.push(() => closeHttp(app, { graceMs: settings.SHUTDOWN_GRACE_MS, lingerMs: settings.SHUTDOWN_LINGER_MS }));
  prepareHttp(app, VERSION);
  if (settings.OPERATOR_TOKEN !== undefined && settings.ROLE !== 'worker') {
    const { queueBoard } = await import('./platform/queue/queue-board.js');
    app.use(
      QUEUE_BOARD,
      app.get(Operators).pages(),
      queueBoard(resources.queue, (limit) => leasedTurns(resources.database, limit), QUEUE_BOARD),
      operatorsProblem,
    );
  }
  const accounts = app.get(Accounts);
  const signIns = app.get(SignIns);
  const firstToken = database.embedded && settings.ROLE !== 'worker' ? await bootstrap(accounts, settings.DATA_DIR, settings.HOST) : null;
  closing.push(() => worker.stop());
  closing.push(async () => app.get(Drain).begin());
  const service = `the job queue on ${settings.REDIS_URL === undefined ? 'Postgres' : 'Redis'}`;
  await waitForService(service, { ...wait, timeoutMs: left() }, () => resources.queue.ping()).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw new SettingsError(`${service} did not answer within START_TIMEOUT_MS: ${String(error)}. Check that it runs, and its address.`, { cause: error });
  });
  await worker.start();
  signal?.throwIfAborted();
  await app.listen(settings.PORT, settings.HOST);
  const { port } = app.getHttpServer().address() as AddressInfo;
  const url = `http://${settings.HOST.includes(':') ? `[${settings.HOST}]` : settings.HOST}:${port}`;
  new Logger('Start').log(`${settings.ROLE} is ready on ${url}`);
  const firstUser = database.embedded && settings.ROLE !== 'worker' ? await firstUserOf(accounts, settings.DATA_DIR) : null;
  const code = firstUser === null ? null : await signIns.issueCode(firstUser, settings.SIGN_IN_LINK_SECONDS * 1_000);
  const signInLink = code === null ? null : signInLinkOf(settings.PUBLIC_URL ?? url, code);
  return { url, accounts, provider: app.get(Model).provider, firstToken, signInLink, signIns };
}

/** The time of one attempt to use Redis, in milliseconds. */
const REDIS_ATTEMPT_MS = 5_000;

/** Waits until Redis does what is needed; an answer that will not change ends the start. */
async function waitForRedis({ REDIS_URL, REDIS_CA_FILE: caFile }: Connections['settings'], wait: WaitOptions): Promise<void> {
  const attempt = (): Promise<void> => proveRedis({ url: REDIS_URL!, caFile }, REDIS_ATTEMPT_MS);
  try {
    await waitForService('Redis', wait, attempt, (error) => !(error instanceof UnusableRedis));
  } catch (error) {
    wait.signal?.throwIfAborted();
    if (error instanceof UnusableRedis) throw new SettingsError(`REDIS_URL: ${error.message}`, { cause: error });
    throw new SettingsError(`Redis did not answer within START_TIMEOUT_MS: ${String(error)}. Check that it runs, and REDIS_URL.`, { cause: error });
  }
}
