import { Inject, Injectable, Logger } from '@nestjs/common';
import { authorizedCaller, principalOf, systemPrincipal } from '../../../packages/protocol/access/principal.js';
import { DomainError, type ErrorCode } from '../../../packages/protocol/errors.js';
import type { Failure } from '../../../packages/protocol/events/events.js';
import { uuidFromSha256 } from '../../../packages/protocol/message/ids.js';
import { mapLimited } from '../../platform/async/map-limited.js';
import { type Settings, SETTINGS } from '../../platform/config/env.js';
import { Digest, type DueSchedule, Schedules, Sessions, Telemetry } from '../../ports/index.js';
import { type CommandContext, OWN_REQUEST } from '../../engine/commands/context.js';
import { Executor, WORKER_ID } from '../../engine/commands/execute.js';
import { PromptSubmission } from '../../engine/commands/prompt-submission.js';
import type { BackgroundWork } from '../../engine/dispatch/background-work.js';
import { DueRuns } from '../../engine/dispatch/due-runs.js';
import type { ScheduleRecord, ScheduleRun } from '../../session/state/schedules.js';
import { nextRun } from './next-run.js';
import { RetryPauses } from './retry-pauses.js';

const BATCH = 100;

const CONCURRENCY = 4;

/** Tag of everything that a scheduled prompt causes. */
const WORKLOAD = 'cron';

/** What may be over soon: the run is tried again, after a pause. */
const TRANSIENT: ReadonlySet<ErrorCode> = new Set([
  'version_conflict',
  'unavailable',
  'tenant_moving',
  'key_unavailable',
  'server_outdated',
  'log_tampered',
  'turn_over',
]);

type Outcome = 'skipped' | 'missed' | 'failed';

/**
 * Submits the prompts of schedules that are due, in any process that looks at the outbox. The prompt and the record of the run are one append under a command id that is made of
 * the schedule and the time, so a run happens once: also when processes find it at the same time, or one is killed anywhere.
 */
@Injectable()
export class ScheduleRuns implements BackgroundWork {
  readonly #log = new Logger(ScheduleRuns.name);
  readonly #pauses = new RetryPauses();
  #running: Promise<void> | null = null;
  #again = false;
  #stopped = false;

  constructor(
    due: DueRuns,
    private readonly schedules: Schedules,
    private readonly sessions: Sessions,
    private readonly executor: Executor,
    private readonly prompts: PromptSubmission,
    private readonly digest: Digest,
    private readonly telemetry: Telemetry,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'SCHEDULE_LATEST_MS' | 'SCHEDULE_MAX_FAILURES'>,
  ) {
    due.provide(() => this.#begin());
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  #begin(): void {
    if (this.#stopped) return;
    this.#again = true;
    this.#running ??= this.#run()
      .catch((error: unknown) => this.#log.warn(`schedules could not be searched for; retrying: ${String(error)}`))
      .finally(() => (this.#running = null));
  }

  async #run(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false;
      await this.run();
    }
  }

  /** Runs all that are due now. What cannot be run stays due and is tried again after a pause, which grows; it holds up no other. */
  async run(): Promise<void> {
    this.#pauses.begin();
    for (let after: DueSchedule | null = null; ;) {
      const { now, schedules }: Awaited<ReturnType<Schedules['due']>> = await this.schedules.due(BATCH, after);
      await mapLimited(schedules, CONCURRENCY, (due) => this.#try(due, Date.parse(now)));
      after = schedules.at(-1) ?? null;
      if (this.#stopped) return;
      if (schedules.length < BATCH) return this.#pauses.end();
    }
  }

  async #try(due: DueSchedule, now: number): Promise<void> {
    if (this.#stopped) return;
    const pauseMs = this.#pauses.take(due, now);
    if (pauseMs === null) return;
    try {
      await this.#one(due, now);
    } catch (error) {
      this.#log.warn(`schedule ${due.scheduleId} of session ${due.sessionId} could not be run; retrying in ${pauseMs} ms: ${String(error)}`);
    }
  }

  async #one(due: DueSchedule, now: number): Promise<void> {
    const { tenantId, sessionId, scheduleId, dueAt } = due;
    const schedule = (await this.sessions.load(tenantId, sessionId)).schedules.get(scheduleId);
    if (schedule?.nextRunAt !== dueAt) return; // run or changed since
    const dueMs = Date.parse(dueAt);
    const isTooLate = now - dueMs > this.settings.SCHEDULE_LATEST_MS;
    const nextRunAt = timeAfter(schedule, dueMs, now);
    if (nextRunAt instanceof Error) {
      if (!isTooLate) throw nextRunAt; // another process may know the time zone
      const error = { code: 'invalid_input', message: 'The schedule has no next time.' };
      return this.#record(due, { scheduleId, dueAt, nextRunAt: dueAt }, 'failed', error, 1);
    }
    const run = { scheduleId, dueAt, nextRunAt };
    if (isTooLate) return this.#record(due, run, 'missed', null);
    const role = await this.schedules.roleOf(tenantId, schedule.by);
    if (role === null) {
      const error = { code: 'forbidden', message: 'The user of the schedule is disabled or deleted.' };
      return this.#record(due, run, 'failed', error, 1);
    }
    const caller = authorizedCaller(principalOf({ tenantId, userId: schedule.by, role, groups: schedule.groups }), 'session.prompt', now);
    try {
      const { disposition } = await this.#submit({ ...this.#context(due, 'prompt'), principal: caller, workload: WORKLOAD }, schedule, run);
      this.telemetry.count('schedule_runs', { outcome: disposition });
    } catch (error) {
      if (!(error instanceof DomainError) || TRANSIENT.has(error.code)) throw error;
      if (error.code === 'session_busy') return this.#record(due, run, 'skipped', null);
      return this.#record(due, run, 'failed', { code: error.code, message: error.message });
    }
  }

  #submit(context: CommandContext, { definition }: ScheduleRecord, run: ScheduleRun) {
    const { input, isMeta, timing, whenBusy } = definition;
    const submission = {
      input,
      mode: 'prompt' as const,
      origin: { kind: 'cron', scheduleId: run.scheduleId, dueAt: run.dueAt },
      workload: WORKLOAD,
      ...(isMeta ? { isMeta } : {}),
      ...(timing.kind === 'cron' ? { timeZone: timing.timeZone } : {}),
    };
    return this.prompts.submit(context, submission, { whenBusy: whenBusy === 'queue' ? 'enqueue' : 'reject', run });
  }

  async #record(due: DueSchedule, run: ScheduleRun, outcome: Outcome, error: Failure | null, pauseAfter = this.settings.SCHEDULE_MAX_FAILURES): Promise<void> {
    const { events } = await this.executor.execute(this.#context(due, outcome), { type: 'RecordScheduleRun', run, outcome, error, pauseAfter });
    if (events.length > 0) this.telemetry.count('schedule_runs', { outcome });
  }

  /** Named by what it is about: whatever process makes it, it is the same command. */
  #context({ tenantId, sessionId, scheduleId, dueAt }: DueSchedule, what: Outcome | 'prompt'): CommandContext {
    const commandId = uuidFromSha256(this.digest.sha256(`schedule ${sessionId} ${scheduleId} ${dueAt} ${what}`));
    return { principal: systemPrincipal(tenantId, WORKER_ID), sessionId, commandId, requestHash: OWN_REQUEST, expectedVersion: null };
  }
}

/** RFC 3339. An error: the expression has no next time, or this process does not know its time zone. */
function timeAfter({ definition }: ScheduleRecord, dueMs: number, now: number): string | Error {
  try {
    return new Date(nextRun(definition.timing, dueMs, Math.max(dueMs, now))).toISOString();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
