import { systemPrincipal } from '../../../packages/protocol/access/principal.js';
import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Eraser } from './eraser.js';
import { forksOf, requireErasable } from './forks.js';
import { OneOfMany } from '../../engine/dispatch/one-of-many.js';
import { OWN_REQUEST } from '../../engine/commands/context.js';
import { WORKER_ID } from '../../engine/commands/execute.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { mapLimited } from '../../platform/async/map-limited.js';
import { deriveId } from '../../../packages/protocol/message/ids.js';
import {
  Clock,
  DueErasures,
  ERASURE_PARTS,
  type DueSession,
  EventStore,
  type ExpiredSession,
  LiveBus,
  Sessions,
  TaskLeases,
  Telemetry,
  type UserErasure,
} from '../../ports/index.js';

const BATCH = 50;
/** Of a user: only ids are read, and each page looks at all that are left. */
const PAGE = 1_000;

/** Longer than the erasure of a session usually takes; renewed before each. */
const LEASE_MS = 120_000;

/** An erasure without progress for so long was left by the process that began it. */
const IDLE_MS = 120_000;

/**
 * Erases in the background what users asked for, what has reached the end of its retention, and what another process has begun and not finished. The
 * sessions are divided into parts; processes erase different parts at the same time, each under a separate lease, several sessions of it beside each other.
 * One process of those that hear each other looks in each round, the others now and then, so that they help with what takes longer. The part of a process that ends is taken over when its lease has ended. What
 * cannot be erased now is tried again in the next round.
 */
@Injectable()
export class Erasures {
  readonly #log = new Logger(Erasures.name);
  readonly #holder = randomUUID();
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;
  #stopped = false;
  /** Whether the last round found something: then this process looks again in the next one, also when it does not lead. */
  #erasing = false;

  constructor(
    private readonly due: DueErasures,
    private readonly eraser: Eraser,
    private readonly leases: TaskLeases,
    private readonly sessions: Sessions,
    private readonly store: EventStore,
    private readonly clock: Clock,
    private readonly telemetry: Telemetry,
    private readonly live: LiveBus,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'ERASURE_INTERVAL_MS' | 'ERASURE_CONCURRENCY'>,
  ) {}

  start(): void {
    const oneOfMany = new OneOfMany(this.live);
    const run = (): void => {
      if (!oneOfMany.takes() && !this.#erasing) return;
      this.#running ??= this.run()
        .then(
          () => this.telemetry.count('erasure_rounds', { outcome: 'completed' }),
          (error: unknown) => {
            this.telemetry.count('erasure_rounds', { outcome: 'failed' });
            this.#log.warn(`background erasures were not completed; retrying: ${String(error)}`);
          },
        )
        .finally(() => (this.#running = null));
    };
    this.#timer = setInterval(run, this.settings.ERASURE_INTERVAL_MS);
    run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer) clearInterval(this.#timer);
    await this.#running;
  }

  /** Erases everything that is due, part by part, but for the parts that other processes are erasing. */
  async run(): Promise<void> {
    this.#erasing = await this.due.isDue(IDLE_MS);
    const late = this.#erasing ? await this.#inParts() : [];
    this.telemetry.gauge('erasure_oldest_due_seconds', Math.max(0, ...late));
  }

  /** How late the sessions are that could not be erased. It begins anywhere, so that processes which begin at the same time meet seldom. */
  async #inParts(): Promise<readonly number[]> {
    const first = Math.floor(Math.random() * ERASURE_PARTS);
    const late: number[] = [];
    for (let count = 0; count < ERASURE_PARTS; count += 1) {
      const part = (first + count) % ERASURE_PARTS;
      if (!(await this.#mayGoOn(part))) continue;
      try {
        late.push(...(await this.#part(part)));
      } finally {
        await this.leases.end(`erase ${part}`, this.#holder).catch(() => undefined); // otherwise it ends by itself
      }
    }
    if (!this.#stopped) for (const erasure of await this.due.open()) await this.due.end(erasure);
    return late;
  }

  async #part(part: number): Promise<readonly number[]> {
    await this.#each(await this.due.unfinished(IDLE_MS, BATCH, part), (session) => this.#erase(part, session, 'continued', null));
    for (const erasure of await this.due.open()) await this.#ofUser(part, erasure);
    for (;;) {
      const expired = await this.due.expired(BATCH, part);
      const left: ExpiredSession[] = [];
      await this.#each(expired, async (session) => {
        if (!(await this.#expire(part, session))) left.push(session);
      });
      // What could not be erased would be found again at once.
      if (expired.length < BATCH || left.length === expired.length || !(await this.#mayGoOn(part))) return left.map(({ lateSeconds }) => lateSeconds);
    }
  }

  async #ofUser(part: number, erasure: UserErasure): Promise<void> {
    for (let after: string | null = null; ;) {
      const batch: readonly DueSession[] = await this.due.sessionsOf(erasure, after, PAGE, part);
      await this.#each(batch, async (session) => {
        const by = { userId: erasure.requestedBy, reason: erasure.reason };
        if (await this.#erase(part, session, 'user', by)) await this.due.count(erasure);
      });
      after = batch.at(-1)?.sessionId ?? after;
      if (batch.length < PAGE || this.#stopped) return;
    }
  }

  #each<Session extends DueSession>(sessions: readonly Session[], work: (session: Session) => Promise<unknown>): Promise<unknown> {
    return mapLimited(sessions, this.settings.ERASURE_CONCURRENCY, work);
  }

  async #expire(part: number, session: DueSession): Promise<boolean> {
    try {
      const { version } = await this.sessions.load(session.tenantId, session.sessionId);
      if (version !== session.version) return false;
    } catch (error) {
      // One log that cannot be read holds up no other erasure.
      this.#log.warn(`session ${session.sessionId} cannot be read, to be erased; retrying: ${String(error)}`);
      return false;
    }
    return this.#erase(part, session, 'retention', null);
  }

  /** False: it was not erased, and the log says why. */
  async #erase(
    part: number,
    { tenantId, sessionId }: DueSession,
    cause: 'continued' | 'user' | 'retention',
    by: { userId: string; reason: string | null } | null,
  ) {
    if (!(await this.#mayGoOn(part))) return false;
    const principal = systemPrincipal(tenantId, by?.userId ?? WORKER_ID);
    const reason = cause === 'retention' ? 'end of retention' : (by?.reason ?? null);
    try {
      // Of a user, forks by others show what the user wrote. Those of an expired session are erased already.
      const forks = cause === 'user' ? await forksOf(this.store, this.sessions, tenantId, sessionId, ({ erased }) => !erased) : [];
      await requireErasable(this.sessions, tenantId, { forks, helpers: [] }, true); // helpers follow by themselves: see erase_content
      for (const id of [sessionId, ...forks]) {
        const erasureId = this.clock.uuid();
        const context = { principal, sessionId: id, commandId: deriveId(erasureId, 'erasure'), requestHash: OWN_REQUEST, expectedVersion: null };
        await this.eraser.session(context, erasureId, reason);
      }
      this.telemetry.count('erased_sessions', { cause });
      return true;
    } catch (error) {
      this.#log.warn(`session ${sessionId} could not be erased; retrying: ${String(error)}`);
      return false;
    }
  }

  async #mayGoOn(part: number): Promise<boolean> {
    return !this.#stopped && (await this.leases.take(`erase ${part}`, this.#holder, LEASE_MS)) !== null;
  }
}
