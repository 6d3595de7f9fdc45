import { expect } from '@jest/globals';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import { migrateQueue } from '../../src/platform/queue/migrate-queue.js';
import { AppModule } from '../../src/app.module.js';
import { readSettings } from '../../src/platform/config/env.js';
import { Accounts, Hooks, Tools } from '../../src/ports/index.js';
import { HTTP_OPTIONS, prepareHttp } from '../../src/http-app.js';
import { ExpiredWaits } from '../../src/engine/dispatch/expired-waits.js';
import { OrphanedTurns } from '../../src/engine/dispatch/orphaned-turns.js';
import { TurnDriver } from '../../src/engine/turn/turn-driver.js';
import { Worker } from '../../src/worker.js';
import { Client, type UnknownObject } from './client.js';
import { freshDatabase, type TestDatabase } from './database.js';
import { ScriptedHooks, ScriptedTools } from './scripted-tools.js';
import { PATIENT } from './server.js';

export interface ToolServer {
  readonly client: Client;
  readonly tools: ScriptedTools;
  readonly hooks: ScriptedHooks;
  readonly stalled: OrphanedTurns;
  readonly expiredWaits: ExpiredWaits;
  readonly driver: TurnDriver;
  /** Its work is left to others, by whom it may be overtaken; all else continues. */
  readonly worker: Worker;
  readonly database: TestDatabase;
  tenant(name: string): Promise<Client>;
  stop(): Promise<void>;
}

/** The whole server in this process, with the spec's own tools and hooks in place of the real ones. */
export async function startToolServer(
  environment: Readonly<Record<string, string>> = {},
  shared?: { readonly database: TestDatabase; readonly token: string },
): Promise<ToolServer> {
  const database = shared?.database ?? (await freshDatabase());
  const settings = readSettings({ ...PATIENT, DATABASE_URL: database.ownerUrl, ...environment });
  await migrateQueue(database.ownerUrl);
  const tools = new ScriptedTools();
  const hooks = new ScriptedHooks();
  const { module, resources } = await AppModule.with({
    settings,
    models: [],
    databaseAt: { url: database.appUrl },
    standbyUrls: [],
    directDatabaseUrl: database.appUrl,
    report: () => undefined,
  });
  const made = await Test.createTestingModule({ imports: [module] })
    .overrideProvider(Tools)
    .useValue(tools)
    .overrideProvider(Hooks)
    .useValue(hooks)
    .compile();
  const app = made.createNestApplication<NestExpressApplication>({ ...HTTP_OPTIONS, logger: false });
  prepareHttp(app, 'test');
  const worker = app.get(Worker);
  await worker.start();
  await app.listen(0, '127.0.0.1');
  const url = await app.getUrl();
  const accounts = app.get(Accounts);
  const tenant = async (name: string): Promise<Client> => new Client(url, (await accounts.createTenant(name, 'admin')).token);
  return {
    client: shared ? new Client(url, shared.token) : await tenant('first'),
    tools,
    hooks,
    stalled: app.get(OrphanedTurns),
    expiredWaits: app.get(ExpiredWaits),
    driver: app.get(TurnDriver),
    worker,
    database,
    tenant,
    stop: async () => {
      await worker.stop();
      tools.finishAll();
      await app.close();
      await worker.close();
      resources.compute.close();
      await resources.gates.close();
      await resources.live.close();
      await resources.database.close();
      await resources.presence.close();
      if (!shared) await database.drop();
    },
  };
}

/** What a prompt says so that the offline model calls a tool. */
export const call = (name: string, input: object): string => `{{tool ${name} ${JSON.stringify(input)}}}`;

/** The results that the messages carry, in their order. */
export function resultsIn(messages: readonly UnknownObject[]): readonly UnknownObject[] {
  return messages.flatMap(({ type, content }) =>
    type === 'user' && Array.isArray(content) ? content.filter((block: UnknownObject) => block.type === 'tool_result') : [],
  );
}

/** Every request of the session can be made again as it was, and its log is whole. */
export async function expectVerified(client: Client, id: string): Promise<void> {
  const { data } = (await client.get(`/v1/sessions/${id}/requests`)).body;
  for (const { requestId } of data) expect((await client.get(`/v1/sessions/${id}/requests/${requestId}`)).body).toMatchObject({ verified: true });
  expect((await client.get(`/v1/sessions/${id}/audit`)).body).toMatchObject({ valid: true });
}
