import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { Global, type INestApplication, type LoggerService, Module } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import { PrometheusTelemetry } from '../../../src/platform/telemetry/prometheus-telemetry.js';
import { Admission } from '../../../src/engine/commands/admission.js';
import { Executor } from '../../../src/engine/commands/execute.js';
import { MediaIntake } from '../../../src/engine/media/media-intake.js';
import type { CommandContext } from '../../../src/engine/commands/context.js';
import { AccessLog } from '../../../src/engine/commands/access-log.js';
import { SlashCommands } from '../../../src/engine/slash/slash-commands.js';
import { readSettings, type Settings, SETTINGS } from '../../../src/platform/config/env.js';
import {
  Accounts,
  DueErasures,
  Links,
  Credentials,
  Clock,
  EventStore,
  ReadSessions,
  GateSource,
  ComputePool,
  Hooks,
  Activity,
  Blobs,
  DatabaseNodes,
  Digest,
  JobQueue,
  LiveBus,
  Memories,
  People,
  SignIns,
  Plugins,
  Skills,
  Telemetry,
  Pins,
  SettingsHistory,
  TenantConfiguration,
  ThreadAnswers,
  UpstreamKeys,
  Tools,
  Search,
  SessionList,
  Sessions,
  UsageStore,
} from '../../../src/ports/index.js';
import { emptyState } from '../../../src/session/state/state.js';
import { GATES, DEFAULT_NORMALIZE_GATES, DEFAULT_PROMPT_GATES } from '../../../packages/protocol/gates.js';
import { HttpAdapter } from '../../../src/http/http-adapter.js';
import { closeHttp, HTTP_OPTIONS, prepareHttp } from '../../../src/http-app.js';
import { routesModule } from '../../../src/engine/feature.js';
import { FEATURES } from '../../../src/features.js';
import { HttpModule } from '../../../src/http.module.js';
import { EventStreams } from '../../../src/http/stream/event-streams.js';
import { BackgroundAudits } from '../../../src/engine/audit/background-audits.js';
import { AuditQueries } from '../../../src/engine/audit/audit-queries.js';
import { TransparencyQueries } from '../../../src/engine/audit/transparency-queries.js';
import type { Principal } from '../../../packages/protocol/access/principal.js';
import { LogExport } from '../../../src/engine/queries/log-export.js';
import { SessionQueries } from '../../../src/engine/queries/session-queries.js';
import { Client } from '../../support/client.js';
import { MemoryTenants } from '../../support/memory-tenants.js';
import { MemoryAccounts, MemoryBus, MemoryQueries, MemoryStore, sessionView } from './memory-ports.js';

interface SentCommand {
  readonly name: string;
  readonly context: CommandContext;
  readonly [member: string]: unknown;
}

/** Stands in for the command handlers: keeps what was sent, answers by the command's name. */
export class RecordingCommands {
  readonly sent: SentCommand[] = [];
  answer: (command: SentCommand) => object = (command) => ({ ...sessionView(command.context.sessionId, 1), replayed: false });

  async execute(command: { readonly context: CommandContext; readonly constructor: { readonly name: string } }): Promise<object> {
    const sent = { ...command, name: command.constructor.name.replace(/Command$/, '') };
    this.sent.push(sent);
    return this.answer(sent);
  }

  get last(): SentCommand {
    const last = this.sent.at(-1);
    if (!last) throw new Error('no command was sent');
    return last;
  }
}

export class SilentLog implements LoggerService {
  readonly lines: unknown[][] = [];
  readonly requests: unknown[][] = [];
  log = (...line: unknown[]): void => void this.requests.push(line);
  readonly warnings: unknown[][] = [];
  warn = (...line: unknown[]): void => void this.warnings.push(line);
  error = (...line: unknown[]): void => void this.lines.push(line);
}

/** The whole HTTP edge on a real socket, with every port in memory. */
export class Edge {
  readonly store = new MemoryStore();
  readonly bus = new MemoryBus();
  readonly accounts = new MemoryAccounts();
  readonly queries = new MemoryQueries(this.store);
  readonly commands = new RecordingCommands();
  readonly log = new SilentLog();
  app!: INestApplication;
  url = '';

  static async start(environment: Readonly<Record<string, string>> = {}): Promise<Edge> {
    const edge = new Edge();
    await edge.#start(readSettings({ RATE_LIMIT_PER_MINUTE: '1000000', CURRENT_DATE: 'false', ...environment }));
    return edge;
  }

  get client(): Client {
    return new Client(this.url, 'vb_admin');
  }

  get port(): number {
    return Number(new URL(this.url).port);
  }

  get streams(): EventStreams {
    return this.app.get(EventStreams);
  }

  session(): string {
    const id = randomUUID();
    this.store.record(id, { type: 'session.closed', data: { reason: null } });
    return id;
  }

  stop(): Promise<void> {
    return this.app.close();
  }

  /** Stops as a process does that gets a signal. */
  close(times: { readonly graceMs: number; readonly lingerMs: number }): Promise<void> {
    return closeHttp(this.app as NestExpressApplication, times);
  }

  async #start(settings: Settings): Promise<void> {
    const tenants = new MemoryTenants();
    const providers = [
      { provide: SETTINGS, useValue: settings },
      { provide: EventStore, useValue: this.store },
      { provide: LiveBus, useValue: this.bus },
      { provide: Accounts, useValue: this.accounts },
      { provide: SignIns, useValue: {} },
      { provide: People, useValue: {} },
      { provide: AccessLog, useValue: { record: async () => {} } },
      { provide: Credentials, useValue: { ended: async () => new Set() } },
      { provide: Links, useValue: { redeem: async () => null, list: async () => [] } },
      { provide: Activity, useValue: { list: async () => ({ data: [], nextCursor: null }) } },
      { provide: Memories, useValue: {} },
      { provide: DueErasures, useValue: {} },
      { provide: SessionQueries, useValue: this.queries },
      { provide: AuditQueries, useValue: { session: (caller: Principal, id: string) => this.queries.audit(caller, id) } },
      { provide: BackgroundAudits, useValue: {} },
      { provide: TransparencyQueries, useValue: {} },
      { provide: LogExport, useValue: {} },
      { provide: SessionList, useValue: {} },
      { provide: Sessions, useValue: { load: async () => emptyState() } },
      { provide: ReadSessions, useValue: { load: async () => emptyState() } },
      { provide: Search, useValue: {} },
      { provide: UsageStore, useValue: { report: async () => ({ data: [], total: { key: 'total' }, hasMore: false }) } },
      { provide: Admission, useValue: { limitedToken: async () => null, states: async () => ({ endsAt: '2024-01-02T00:00:00.000Z', states: [] }) } },
      { provide: Executor, useValue: {} },
      { provide: MediaIntake, useValue: {} },
      { provide: Blobs, useValue: {} },
      { provide: Digest, useValue: {} },
      { provide: CommandBus, useValue: this.commands },
      { provide: Telemetry, useValue: new PrometheusTelemetry() },
      { provide: JobQueue, useValue: { ping: async () => {} } },
      { provide: Blobs, useValue: { reachable: async () => {} } },
      { provide: DatabaseNodes, useValue: { read: async () => null, away: async () => [] } },
      {
        provide: ComputePool,
        useValue: {
          run: async () => {
            throw new Error('nothing here is that large');
          },
        },
      },
      { provide: Hooks, useValue: { configured: () => [], faultsIn: () => [] } },
      { provide: TenantConfiguration, useValue: tenants },
      { provide: SettingsHistory, useValue: { current: async (id: string) => ({ settings: await tenants.read(id), version: 0 }), changes: async () => [] } },
      { provide: Pins, useValue: { pin: async () => true, unpin: async () => true } },
      { provide: ThreadAnswers, useValue: {} },
      { provide: UpstreamKeys, useValue: { of: () => Promise.resolve(null), encrypted: () => Promise.reject(new Error('nothing is encrypted here')) } },
      { provide: Tools, useValue: { offered: async () => [], problems: async () => [] } },
      { provide: Plugins, useValue: { list: async () => [] } },
      { provide: Skills, useValue: { list: async () => [], problems: async () => [] } },
      { provide: SlashCommands, useValue: { list: async () => [] } },
      {
        provide: GateSource,
        useValue: {
          snapshot: async () => DEFAULT_NORMALIZE_GATES,
          intake: async () => DEFAULT_PROMPT_GATES,
          list: async () => GATES.map((name) => ({ name, enabled: false, source: 'default' })),
        },
      },
      { provide: Clock, useValue: { now: () => Date.now(), uuid: () => randomUUID() } },
    ];
    @Global()
    @Module({ providers, exports: providers.map(({ provide }) => provide) })
    class Ports {}
    const module = await Test.createTestingModule({ imports: [Ports, HttpModule, ...FEATURES.map((feature) => routesModule(feature, true))] }).compile();
    const app = module.createNestApplication<NestExpressApplication>(new HttpAdapter(), { ...HTTP_OPTIONS, logger: this.log });
    prepareHttp(app, '0.0.0');
    await app.listen(0, '127.0.0.1');
    this.app = app;
    this.url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
  }
}
