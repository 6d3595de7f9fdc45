import { systemPrincipal } from '../../../packages/protocol/access/principal.js';
import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { mapLimited } from '../../platform/async/map-limited.js';
import { Clock, ColdSessions, DatabaseNodes, type SessionPlace, TaskLeases, Telemetry, TransparencyLog, Webhooks } from '../../ports/index.js';
import { AuditQueries } from '../../engine/audit/audit-queries.js';
import { BackgroundAudits } from '../../engine/audit/background-audits.js';
import { LogAudit } from '../../engine/audit/log-audit.js';
import { requireFinding } from '../../engine/audit/session-audit.js';

/** Runs that are read at once to find the sessions of new leaves. */
const PAGE = 1_000;

/** Changed sessions between two times that the progress is kept. */
const BATCH = 100;

interface Finding extends SessionPlace {
  readonly finding: string | null;
  readonly firstInvalidSeq: number | null;
}

/** One audit of everything that is due. */
interface Run {
  /** Leaves of the log. */
  readonly size: number;
  readonly fence: number;
  readonly findings: Finding[];
  readonly comparison: Awaited<ReturnType<AuditQueries['comparison']>>;
}

/** Where the audits are. A part of the log that the database's owner makes them skip is reached again by the walk through all sessions. */
interface Places {
  /** The first leaf whose session has not been audited since. */
  readonly changed: number;
  /** The leaf that the walk through all sessions has reached. */
  readonly walked: number;
  /** What the walk through all logs has reached, which has the sessions without leaves, too; null: their beginning. */
  readonly listed: SessionPlace | null;
}

/** How far the audits have come. `left`: where they were when sessions of the tenants of a node that is away were left out first, and these nodes; they go back to there when one of them answers again. */
interface Progress extends Places {
  readonly left: (Places & { readonly nodes: readonly string[] }) | null;
}

/**
 * Audits the transparency log, every session that has changed since the last time, and some others, so that in time every session is audited again. One process, under a lease, several sessions at a time; the next
 * one continues where it stopped. While a node of a distributed database is away, the sessions of its tenants are left out until it is back.
 */
@Injectable()
export class RecurringAudit {
  readonly #log = new Logger(RecurringAudit.name);
  readonly #holder = randomUUID();
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<unknown> | null = null;
  #stopped = false;
  /** The leaves of the log that this process has audited; it relies on no other for that. */
  #verified = 0;

  constructor(
    private readonly transparencyLog: TransparencyLog,
    private readonly leases: TaskLeases,
    private readonly logAudit: LogAudit,
    private readonly audits: AuditQueries,
    private readonly background: BackgroundAudits,
    private readonly cold: ColdSessions,
    private readonly nodes: DatabaseNodes,
    private readonly webhooks: Webhooks,
    private readonly clock: Clock,
    private readonly telemetry: Telemetry,
    @Inject(SETTINGS) private readonly settings: Pick<
      Settings,
      'AUDIT_INTERVAL_MS' | 'AUDIT_SESSIONS' | 'AUDIT_CONCURRENCY' | 'AUDIT_ALERT_URLS' | 'COMPUTE_PROCESSES'
    >,
  ) {}

  start(): void {
    this.#timer = setInterval(() => {
      this.#running ??= this.audit()
        .catch((error: unknown) => this.#log.warn(`the recurring audit failed; retrying: ${String(error)}`))
        .finally(() => (this.#running = null));
    }, this.settings.AUDIT_INTERVAL_MS);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    if (this.#timer) clearInterval(this.#timer);
    await this.#running;
    await this.leases.end('audit', this.#holder).catch(() => undefined); // otherwise it ends by itself
  }

  /** Whether everything was valid; null: another process does it. */
  async audit(): Promise<boolean | null> {
    const fence = await this.#fence();
    if (fence === null) {
      this.telemetry.gauge('audit_lag_leaves', 0); // the holder says it
      return null;
    }
    const { problem, size } = await this.#transparencyLog();
    this.telemetry.count('audits', { subject: 'transparency_log', outcome: problem === null ? 'valid' : 'invalid' });
    await this.#guards();
    const run = { size, fence, findings: [] as Finding[], comparison: await this.audits.comparison() };
    this.#verified = size;
    try {
      const progress = withReturned(await this.#progress(size), await this.#away());
      await this.#others(run, await this.#changed(run, progress));
    } finally {
      if (problem !== null || run.findings.length > 0) await this.#alert(problem, run.findings);
    }
    return problem === null && run.findings.length === 0;
  }

  /** All that have changed, however many they are: what is left out would never be caught up with. */
  async #changed(run: Run, from: Progress): Promise<Progress> {
    for (let progress = from; ;) {
      this.telemetry.gauge('audit_lag_leaves', Math.max(run.size - (progress.left ?? progress).changed, 0));
      if (progress.changed >= run.size) return progress;
      const { sessions, next } = await this.#sessionsFrom(progress.changed, BATCH);
      progress = await this.#audited(run, progress, sessions);
      progress = { ...progress, changed: sessions.length === 0 ? run.size : Math.min(next, run.size) };
      await this.#keep(run, progress);
    }
  }

  /** Some others: half of them by their leaves, half by the tables. */
  async #others(run: Run, progress: Progress): Promise<void> {
    const budget = this.settings.AUDIT_SESSIONS;
    const walked = await this.#sessionsFrom(Math.min(progress.walked, run.size), Math.ceil(budget / 2));
    const left = budget - walked.sessions.length;
    const listed = await this.transparencyLog.sessionsAfter(progress.listed, left);
    const found = new Map([...walked.sessions, ...listed.sessions].map((session) => [`${session.tenantId} ${session.sessionId}`, session]));
    const audited = await this.#audited(run, progress, [...found.values()]);
    await this.#keep(run, {
      ...(listed.isComplete ? audited : await this.#leftOut(audited)),
      walked: walked.next >= run.size ? 0 : walked.next,
      listed: listed.sessions.length < left ? null : (listed.sessions.at(-1) ?? progress.listed),
    });
  }

  /** Those of the tenants of nodes that answer. Resolves to `progress`, with `left` if there are others. */
  async #audited(run: Run, progress: Progress, sessions: readonly SessionPlace[]): Promise<Progress> {
    const reachable = await this.#reachable(sessions);
    // One more than the processes that compute: a client's request waits for few audits.
    const atOnce = Math.min(this.settings.AUDIT_CONCURRENCY, this.settings.COMPUTE_PROCESSES + 1);
    const failed: SessionPlace[] = [];
    await mapLimited(await this.#withoutArchived(reachable), atOnce, async (session) => {
      if (this.#stopped) throw new Error('the process stops');
      const { tenantId, sessionId } = session;
      const outcome = await this.#outcome(tenantId, sessionId, run.comparison);
      if (outcome === null) failed.push(session);
      else if (!outcome.valid) run.findings.push({ tenantId, sessionId, finding: outcome.finding ?? null, firstInvalidSeq: outcome.firstInvalidSeq ?? null });
    });
    const isEachReached = reachable.length === sessions.length && (await this.#reachable(failed)).length === failed.length;
    return isEachReached ? progress : this.#leftOut(progress);
  }

  /** An audit would bring an archived log back; it is verified when it is read. Those of a node that goes away meanwhile are not looked up: their audits fail. */
  async #withoutArchived(sessions: readonly SessionPlace[]): Promise<readonly SessionPlace[]> {
    try {
      return await this.cold.withoutArchived(sessions);
    } catch (error) {
      const reachable = await this.#reachable(sessions);
      if (reachable.length === sessions.length) throw error;
      return [...(await this.cold.withoutArchived(reachable)), ...sessions.filter((session) => !reachable.includes(session))];
    }
  }

  async #reachable(sessions: readonly SessionPlace[]): Promise<readonly SessionPlace[]> {
    if (sessions.length === 0) return sessions;
    const tenants = await this.nodes.reachable(sessions.map(({ tenantId }) => tenantId));
    return sessions.filter(({ tenantId }) => tenants.has(tenantId));
  }

  async #away(): Promise<readonly string[]> {
    return ((await this.nodes.read()) ?? []).filter(({ isUp }) => !isUp).map(({ name }) => name);
  }

  async #leftOut(progress: Progress): Promise<Progress> {
    const { changed, walked, listed, left } = progress;
    const away = await this.#away(); // none, if the node is back already: then the next audit goes back
    if (left === null)
      this.#log.warn(`sessions of nodes of the database that are away are left out of the recurring audit until they are back: ${away.join(', ')}`);
    return { ...progress, left: { changed, walked, listed, ...left, nodes: [...new Set([...(left?.nodes ?? []), ...away])] } };
  }

  #fence(): Promise<number | null> {
    return this.leases.take('audit', this.#holder, 2 * this.settings.AUDIT_INTERVAL_MS);
  }

  async #progress(size: number): Promise<Progress> {
    // The walks begin anywhere, so that new deployments of old databases do not favour the oldest.
    const begin: Progress = {
      changed: size,
      walked: Math.floor(Math.random() * size),
      listed: { tenantId: randomUUID(), sessionId: randomUUID() },
      left: null,
    };
    return { ...begin, ...((await this.leases.progress('audit')) as Partial<Progress> | null) };
  }

  async #keep({ fence }: Run, progress: Progress): Promise<void> {
    const isHeld = (await this.#fence()) === fence && (await this.leases.keep('audit', this.#holder, fence, progress));
    if (!isHeld) throw new Error('another process has taken over');
  }

  /** What keeps the tables as they are. Rows are what was recorded without it, too, as long as nothing else is found. */
  async #guards(): Promise<void> {
    const guards = await this.transparencyLog.missingGuards();
    this.telemetry.count('audits', { subject: 'guards', outcome: guards.length === 0 ? 'valid' : 'invalid' });
    if (guards.length === 0) return;
    this.#log.error(`guards of tables are not as they were made, see docs/proofs.md, Guards: ${JSON.stringify(guards.slice(0, 10))}`);
    await this.#post({ kind: 'guards.missing', at: this.clock.timestamp(), guards });
  }

  async #alert(problem: string | null, findings: readonly Finding[]): Promise<void> {
    this.#log.error(`an audit found changes: ${problem ?? ''} ${JSON.stringify(findings.slice(0, 10))}`);
    await this.#post({ kind: 'audit.invalid', at: this.clock.timestamp(), transparencyLog: problem, sessions: findings });
  }

  async #post(alert: object): Promise<void> {
    await Promise.all(
      this.settings.AUDIT_ALERT_URLS.map((url) =>
        this.webhooks.post(url, alert).catch((error: unknown) => this.#log.warn(`${new URL(url).origin} did not take the alert: ${String(error)}`)),
      ),
    );
  }

  /** Every new leaf; the first time, all of them. What cannot be read is wrong with it. */
  async #transparencyLog(): Promise<{ readonly problem: string | null; readonly size: number }> {
    try {
      return await this.logAudit.leaves(this.#verified);
    } catch (error) {
      requireFinding(error);
      this.#log.error(`the transparency log cannot be audited: ${String(error)}`);
      return { problem: 'the transparency log cannot be read', size: (await this.transparencyLog.head())?.size ?? 0 };
    }
  }

  /** Null: the database is not available; that must not keep the others from it. */
  async #outcome(
    tenantId: string,
    sessionId: string,
    comparison: Awaited<ReturnType<AuditQueries['comparison']>>,
  ): Promise<Awaited<ReturnType<AuditQueries['outcome']>> | null> {
    try {
      return await this.audits.outcome(systemPrincipal(tenantId, this.#holder), sessionId, comparison, this.background);
    } catch (error) {
      this.telemetry.count('audits', { subject: 'session', outcome: 'failed' });
      this.#log.warn(`session ${sessionId} could not be audited: ${String(error)}`);
      return null;
    }
  }

  /** Up to `limit` sessions with leaves from `index` on, and the first leaf after theirs. */
  async #sessionsFrom(index: number, limit: number): Promise<{ readonly sessions: readonly SessionPlace[]; readonly next: number }> {
    const sessions = new Map<string, SessionPlace>();
    let next = index;
    while (sessions.size < limit) {
      const runs = await this.transparencyLog.runs(next, PAGE);
      for (const { firstIndex, hashes, sessionId, tenantId } of runs) {
        if (sessions.size >= limit && !sessions.has(sessionId)) break;
        sessions.set(sessionId, { tenantId, sessionId });
        next = firstIndex + hashes.length;
      }
      if (runs.length < PAGE) break;
    }
    return { sessions: [...sessions.values()], next };
  }
}

/** Goes back to the sessions that were left out, when a node that they waited for answers. Those of the others are audited once more, which costs less than to keep every session that was left out. */
function withReturned(progress: Progress, away: readonly string[]): Progress {
  if (progress.left === null) return progress;
  const { nodes, ...places } = progress.left;
  return nodes.length > 0 && nodes.every((node) => away.includes(node)) ? progress : { ...places, left: null };
}
