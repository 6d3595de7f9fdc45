import { describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { DomainError } from '../../../packages/protocol/errors.js';
import { DueRuns } from '../../engine/dispatch/due-runs.js';
import type { DueSchedule } from '../../ports/index.js';
import { ScheduleRuns } from './schedule-runs.js';

Logger.overrideLogger(false);

const START = Date.parse('2030-01-01T00:00:00.000Z');
const LATEST_MS = 3_600_000;
const DUE_AT = new Date(START).toISOString();
const TENANT = 't1';

/** Schedules that are due at the same time; each load of a session and each append is noted. */
function scene(timings: Readonly<Record<string, object | Error>>) {
  const due: DueSchedule[] = Object.keys(timings).map((sessionId) => ({ tenantId: TENANT, sessionId, scheduleId: `of ${sessionId}`, dueAt: DUE_AT }));
  const loads: string[] = [];
  const done: object[] = [];
  const remove = (sessionId: string) =>
    due.splice(
      due.findIndex((one) => one.sessionId === sessionId),
      1,
    );
  const clock = { now: START };
  const parts = {
    schedules: {
      due: async (limit: number, after: DueSchedule | null) => {
        const from = after ? due.findIndex(({ scheduleId }) => scheduleId === after.scheduleId) + 1 : 0;
        return { now: new Date(clock.now).toISOString(), schedules: due.slice(from, from + limit) };
      },
      roleOf: async () => 'member',
    },
    sessions: {
      load: async (_: string, sessionId: string) => {
        loads.push(sessionId);
        const timing = timings[sessionId];
        if (timing instanceof Error) throw timing;
        const definition = { timing, input: 'hello', whenBusy: 'skip', paused: false };
        return { schedules: new Map([[`of ${sessionId}`, { definition, by: 'u1', groups: [], nextRunAt: DUE_AT }]]) };
      },
    },
    executor: {
      execute: async ({ sessionId }: { sessionId: string }, { outcome, error, pauseAfter }: { outcome: string; error: object | null; pauseAfter: number }) => {
        done.push({ sessionId, outcome, error, pauseAfter });
        remove(sessionId);
        return { events: [{}] };
      },
    },
    prompts: {
      submit: async ({ sessionId }: { sessionId: string }) => {
        done.push({ sessionId, outcome: 'started' });
        remove(sessionId);
        return { disposition: 'started' };
      },
    },
  };
  const runs = new ScheduleRuns(
    new DueRuns(),
    parts.schedules as never,
    parts.sessions as never,
    parts.executor as never,
    parts.prompts as never,
    { sha256: () => 'ab'.repeat(32) } as never,
    { count: () => undefined } as never,
    { SCHEDULE_LATEST_MS: LATEST_MS, SCHEDULE_MAX_FAILURES: 10 },
  );
  return { runs, clock, loads, done };
}

const INTERVAL = { kind: 'interval', seconds: 60 };

/** The pauses between attempts, of looks that are 50 ms apart. */
async function pausesWithin(lengthMs: number, failure: Error): Promise<readonly number[]> {
  const { runs, clock, loads } = scene({ broken: failure });
  const attempts: number[] = [];
  for (; clock.now < START + lengthMs; clock.now += 50) {
    const before = loads.length;
    await runs.run();
    if (loads.length > before) attempts.push(clock.now);
  }
  return attempts.slice(1).map((at, index) => at - attempts[index]!);
}

describe('runs of schedules', () => {
  it.each([
    new DomainError('log_tampered', 'The log is not what was written.'),
    new DomainError('key_unavailable', 'The key service does not answer.'),
    new Error('anything else'),
  ])('that cannot be made are tried again after a pause that doubles: %s', async (failure) => {
    expect(await pausesWithin(33_000, failure)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000]);
  });

  it('that cannot be made hold up no other, however many they are', async () => {
    const broken = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`broken ${index}`, new Error('no')]));
    const { runs, loads, done } = scene({ ...broken, healthy: INTERVAL });
    await runs.run();
    expect(done).toEqual([{ sessionId: 'healthy', outcome: 'started' }]);
    expect(loads).toHaveLength(251);
    await runs.run();
    expect(loads).toHaveLength(251);
  });

  it('of a session that works again are made after the pause', async () => {
    const timings: Record<string, object | Error> = { one: new Error('not yet') };
    const { runs, clock, done } = scene(timings);
    await runs.run();
    timings['one'] = INTERVAL;
    await runs.run();
    expect(done).toEqual([]);
    clock.now += 500;
    await runs.run();
    expect(done).toEqual([{ sessionId: 'one', outcome: 'started' }]);
  });

  it('without a next time are tried again until they are too late, and then pause the schedule', async () => {
    const { runs, clock, done } = scene({ nowhere: { kind: 'cron', expression: '0 9 * * *', timeZone: 'Nowhere/Lost' } });
    await runs.run();
    clock.now += LATEST_MS;
    await runs.run();
    expect(done).toEqual([]);
    clock.now += LATEST_MS;
    await runs.run();
    expect(done).toEqual([{ sessionId: 'nowhere', outcome: 'failed', error: { code: 'invalid_input', message: expect.any(String) }, pauseAfter: 1 }]);
  });
});
