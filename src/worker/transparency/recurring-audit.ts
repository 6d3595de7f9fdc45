import { systemPrincipal } from '../../core/access/principal.js';
import { randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { type Settings, SETTINGS } from '../../config/env.js';
import { Clock, type SessionPlace, TaskLeases, Telemetry, TransparencyLog, Webhooks } from '../../core/ports.js';
import { AuditQueries } from '../../queries/audit-queries.js';
import { LogAudit } from '../../queries/log-audit.js';
import { requireFinding } from '../../queries/session-audit.js';

/** Runs that are read at once to find the sessions of new leaves. */
const PAGE = 1_000;

interface Finding extends SessionPlace {
  readonly finding: string | null;
  readonly firstInvalidSeq: number | null;
}

/**
 * Audits the transparency log, the sessions that have changed since the last time, and some others, so that in time every session is audited again. One process,
 * under a lease; what it has seen is kept in its memory.
 */
@Injectable()
export class RecurringAudit {
  readonly #log = new Logger(RecurringAudit.name);
  readonly #holder = randomUUID();
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<unknown> | null = null;
  /** The first leaf that has not been audited; null before the first audit. */
  #changed: number | null = null;
  /** The leaf that the walk through all sessions has reached, as a part of the log: it begins anywhere, so that restarts do not favour the oldest. */
  #walked: number | null = null;
  /** The session that the walk through all logs has reached, which has the sessions without leaves, too. It begins anywhere as well. Null: the first one. */
  #listed: SessionPlace | null = { tenantId: randomUUID(), sessionId: randomUUID() };

  constructor(
    private readonly transparencyLog: TransparencyLog,
    private readonly leases: TaskLeases,
    private readonly logAudit: LogAudit,
    private readonly audits: AuditQueries,
    private readonly webhooks: Webhooks,
    private readonly clock: Clock,
    private readonly telemetry: Telemetry,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'AUDIT_INTERVAL_MS' | 'AUDIT_SESSIONS' | 'AUDIT_ALERT_URLS'>,
  ) {}

  start(): void {
    this.#timer = setInterval(() => {
      this.#running ??= this.audit()
        .catch((error: unknown) => this.#log.warn(`the recurring audit failed; retrying: ${String(error)}`))
        .finally(() => (this.#running = null));
    }, this.settings.AUDIT_INTERVAL_MS);
  }

  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    await this.#running;
    if (this.#changed !== null) await this.leases.end('audit', this.#holder).catch(() => undefined); // otherwise it ends by itself
  }

  /** Whether everything was valid; null: another process does it. */
  async audit(): Promise<boolean | null> {
    if ((await this.leases.take('audit', this.#holder, 2 * this.settings.AUDIT_INTERVAL_MS)) === null) return null;
    const { problem, size } = await this.#transparencyLog();
    this.telemetry.count('audits', { subject: 'transparency_log', outcome: problem === null ? 'valid' : 'invalid' });
    const budget = this.settings.AUDIT_SESSIONS;
    const changed = await this.#sessionsFrom(this.#changed ?? size, budget);
    const left = budget - changed.sessions.length;
    const walked = await this.#sessionsFrom(this.#walked ?? Math.floor(Math.random() * size), Math.ceil(left / 2));
    const listed = await this.transparencyLog.sessionsAfter(this.#listed, left - walked.sessions.length);
    const found = new Map([...changed.sessions, ...walked.sessions, ...listed].map((session) => [`${session.tenantId} ${session.sessionId}`, session]));
    const findings: Finding[] = [];
    const comparison = await this.audits.comparison();
    for (const { tenantId, sessionId } of found.values()) {
      const outcome = await this.#outcome(tenantId, sessionId, comparison);
      if (outcome && !outcome.valid) findings.push({ tenantId, sessionId, finding: outcome.finding ?? null, firstInvalidSeq: outcome.firstInvalidSeq ?? null });
    }
    this.#changed = Math.min(changed.next, size);
    this.#walked = walked.next >= size ? 0 : walked.next;
    this.#listed = listed.length < left - walked.sessions.length ? null : (listed.at(-1) ?? this.#listed);
    if (problem === null && findings.length === 0) return true;
    this.#log.error(`an audit found changes: ${problem ?? ''} ${JSON.stringify(findings.slice(0, 10))}`);
    await Promise.all(
      this.settings.AUDIT_ALERT_URLS.map((url) =>
        this.webhooks
          .post(url, { kind: 'audit.invalid', at: this.clock.timestamp(), transparencyLog: problem, sessions: findings })
          .catch((error: unknown) => this.#log.warn(`${new URL(url).origin} did not take the alert: ${String(error)}`)),
      ),
    );
    return false;
  }

  /** Every new leaf; the first time, all of them. What cannot be read is wrong with it. */
  async #transparencyLog(): Promise<{ readonly problem: string | null; readonly size: number }> {
    try {
      return await this.logAudit.leaves(this.#changed ?? 0);
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
      return await this.audits.outcome(systemPrincipal(tenantId, this.#holder), sessionId, comparison);
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
