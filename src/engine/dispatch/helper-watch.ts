import { Injectable, Logger } from '@nestjs/common';
import { systemPrincipal } from '../../../packages/protocol/access/principal.js';
import { Clock, EVERY_SESSION, GateSource, Helpers, type Job, LiveBus, type OpenHelper, Sessions } from '../../ports/index.js';
import { deriveId } from '../../../packages/protocol/message/ids.js';
import { helperTurn, isOver } from '../../session/state/helper.js';
import { statusOf } from '../../session/state/tool-calls.js';
import { OWN_REQUEST } from '../commands/context.js';
import { Executor, WORKER_ID } from '../commands/execute.js';
import { OneOfMany } from './one-of-many.js';
import { isOvertaken, TurnReports } from '../turn/turn-reports.js';

const BATCH = 100;

/** Between two looks while sessions change. */
const LOOK_MS = 1_000;

/** For a helper that could not be attended to again and again. */
const LONGEST_PAUSE_MS = 60_000;

interface Failure {
  readonly times: number;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

const keyOf = ({ tenantId, sessionId }: OpenHelper): string => `${tenantId}/${sessionId}`;

/**
 * Carries the ends of turns between helpers and the sessions that they work for: a turn that waits runs again when its helper has ended, and a helper is interrupted when
 * the turn with its call is over. What has to be done is read from the database, so that nothing is lost with a process; a process looks at once for the turns that end
 * in it, and otherwise each second while sessions change. While none changes, one process of all looks.
 */
@Injectable()
export class HelperWatch {
  readonly #log = new Logger(HelperWatch.name);
  readonly #failures = new Map<string, Failure>();
  #idleMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Infinity;
  #looking: Promise<void> | null = null;
  #stopped = true;
  #unsubscribe: () => void = () => undefined;
  readonly #oneOfMany: OneOfMany;

  constructor(
    private readonly helpers: Helpers,
    private readonly sessions: Sessions,
    private readonly reports: TurnReports,
    private readonly executor: Executor,
    private readonly live: LiveBus,
    private readonly clock: Clock,
    private readonly gates: GateSource,
  ) {
    this.#oneOfMany = new OneOfMany(live);
  }

  /** `idleMs`: between two looks of one process of all while no session changes, in case a signal was lost. */
  start(idleMs: number): void {
    this.#idleMs = idleMs;
    this.#stopped = false;
    this.#unsubscribe = this.live.subscribe(EVERY_SESSION, () => this.#plan(LOOK_MS * (1 + this.live.rank / 2)), 'hints');
    this.#plan(LOOK_MS);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unsubscribe();
    clearTimeout(this.#timer);
    await this.#looking;
  }

  /** Called when a segment of a turn of this process is over. Returns at once. */
  afterTurn({ tenantId, sessionId, turnId }: Job['payload']): void {
    const state = this.sessions.known(tenantId, sessionId);
    const hasHelpers = [...(state?.turns.get(turnId)?.calls.values() ?? [])].some(({ helper }) => helper !== null);
    if (!state || state.parent !== null || hasHelpers) this.#plan(0);
  }

  /** Looks once at all that are open. Returns whether something was found. */
  async look(): Promise<boolean> {
    const seen = new Set<string>();
    for (let after: OpenHelper | null = null; ;) {
      const page: readonly OpenHelper[] = await this.helpers.open(BATCH, after);
      for (const helper of page) {
        seen.add(keyOf(helper));
        await this.#try(helper);
      }
      after = page.at(-1) ?? null;
      if (page.length < BATCH || this.#stopped) break;
    }
    for (const key of this.#failures.keys()) if (!seen.has(key)) this.#failures.delete(key);
    return seen.size > 0;
  }

  /** One that could not be attended to is left alone for a while, longer each time. */
  async #try(helper: OpenHelper): Promise<void> {
    const key = keyOf(helper);
    const { times, until } = this.#failures.get(key) ?? { times: 0, until: 0 };
    if (this.clock.now() < until) return;
    try {
      await this.#attend(helper);
      this.#failures.delete(key);
    } catch (error) {
      this.#failures.set(key, { times: times + 1, until: this.clock.now() + Math.min(LOOK_MS * 2 ** times, LONGEST_PAUSE_MS) });
      this.#log.warn(`the helper ${helper.sessionId} could not be attended to; retrying: ${String(error)}`);
    }
  }

  async #attend({ tenantId, sessionId, parentId }: OpenHelper): Promise<void> {
    const { turn, version } = await this.sessions.load(tenantId, parentId);
    const call = [...(turn?.calls.values() ?? [])].find(({ helper }) => helper === sessionId);
    if (turn && call && statusOf(call) === 'awaiting_helper') {
      const { turnId } = turn;
      const resume = { type: 'ResumeForHelper', turnId, toolUseId: call.toolUseId } as const;
      await this.reports.report({ tenantId, sessionId: parentId, turnId }, `resume:${sessionId}:${version}`, resume).catch((error: unknown) => {
        if (!isOvertaken(error, 'turn_over')) throw error;
      });
      return;
    }
    const helper = await this.sessions.load(tenantId, sessionId);
    const own = helperTurn(helper);
    if (own && !isOver(own)) {
      if (own.interruptRequested) return; // found again when its worker has ended it
      await this.#interrupt(tenantId, sessionId, own.turnId);
    }
    await this.helpers.end(tenantId, sessionId);
  }

  async #interrupt(tenantId: string, sessionId: string, turnId: string): Promise<void> {
    const context = {
      ...{ principal: systemPrincipal(tenantId, WORKER_ID), sessionId, commandId: deriveId(this.clock.uuid(), turnId) },
      ...{ requestHash: OWN_REQUEST, expectedVersion: null },
    };
    const reason = 'the turn with its call is over';
    await this.executor.execute(context, {
      ...({ type: 'Interrupt', reason, turnId, at: this.clock.timestamp(), seed: this.clock.uuid() } as const),
      gates: await this.gates.intake(tenantId),
    });
  }

  /** An earlier look that is planned stays. */
  #plan(inMs: number, isIdle = false): void {
    const at = performance.now() + inMs;
    if (this.#stopped || at >= this.#dueAt) return;
    this.#dueAt = at;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#dueAt = Infinity;
      if (isIdle && !this.#oneOfMany.takes()) return this.#plan(inMs, isIdle);
      this.#looking = (this.#looking ?? Promise.resolve()).then(() => this.#round());
    }, inMs);
  }

  async #round(): Promise<void> {
    const isFound = await this.look().catch((error: unknown) => {
      this.#log.warn(`open helpers could not be searched for; retrying: ${String(error)}`);
      return true;
    });
    if (isFound) this.#plan(LOOK_MS);
    else this.#plan(this.#idleMs, true);
  }
}
