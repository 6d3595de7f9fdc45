import { describe, expect, it } from '@jest/globals';
import { session, submit } from '../../../test/support/given-session.js';
import type { Command } from '../state/commands.js';

const AT = ['2030-01-01T00:00:00.000Z', '2030-01-01T01:00:00.000Z', '2030-01-01T02:00:00.000Z'] as const;

const set = (of: number | null, more: object = {}): Command => ({
  type: 'SetSchedule',
  scheduleId: 's1',
  of,
  definition: { timing: { kind: 'interval', seconds: 3_600 }, input: 'hello', whenBusy: 'skip', paused: false },
  groups: [],
  nextRunAt: AT[0],
  limit: 2,
  ...more,
});
const run = (at: number) => ({ scheduleId: 's1', dueAt: AT[at]!, nextRunAt: AT[at + 1]! });
const record = (at: number, outcome: 'skipped' | 'missed' | 'failed', pauseAfter = 2): Command => ({
  type: 'RecordScheduleRun',
  run: run(at),
  outcome,
  error: outcome === 'failed' ? { code: 'forbidden', message: 'no' } : null,
  pauseAfter,
});
const prompt = (n: number, at: number): Command => ({ ...submit(n), run: run(at) }) as Command;

describe('a schedule', () => {
  it('is recorded with its prompt in one append, and is due again after it', () => {
    const scene = session();
    scene.when(set(null));
    expect(scene.types(prompt(1, 0))).toEqual(['schedule.ran', 'prompt.submitted', 'turn.started']);
    expect(scene.state.schedules.get('s1')).toMatchObject({ nextRunAt: AT[1], lastRun: { data: { outcome: 'started', promptId: 'p1' } } });
  });

  it('runs once for each time: a second report of the same time has no effect', () => {
    const scene = session();
    scene.when(set(null));
    scene.when(prompt(1, 0));
    scene.rejects(prompt(2, 0), 'version_conflict');
    expect(scene.types(record(0, 'failed'))).toEqual([]);
    expect(scene.types(prompt(2, 1))).toEqual(['schedule.ran', 'prompt.submitted', 'prompt.queued']);
    expect(scene.state.schedules.get('s1')?.lastRun?.data.outcome).toBe('queued');
  });

  it('does not run when it is paused or deleted', () => {
    const scene = session();
    scene.when(set(null, { nextRunAt: null }));
    scene.rejects(prompt(1, 0), 'version_conflict');
    scene.when({ type: 'DeleteSchedule', scheduleId: 's1' });
    scene.rejects(prompt(1, 0), 'version_conflict');
    expect(scene.types(record(0, 'skipped'))).toEqual([]);
    scene.rejects({ type: 'DeleteSchedule', scheduleId: 's1' }, 'schedule_not_found');
  });

  it('is paused after so many failed runs in a row, and counts from zero after another run or a change', () => {
    const scene = session();
    scene.when(set(null));
    scene.when(record(0, 'failed'));
    expect(scene.state.schedules.get('s1')).toMatchObject({ failures: 1, nextRunAt: AT[1] });
    scene.when(record(1, 'skipped'));
    expect(scene.state.schedules.get('s1')).toMatchObject({ failures: 0, nextRunAt: AT[2] });
    scene.when(set(scene.state.version));
    scene.when(record(0, 'failed'));
    scene.when(record(1, 'failed'));
    expect(scene.state.schedules.get('s1')).toMatchObject({ failures: 2, nextRunAt: null, definition: { paused: true } });
  });

  it('is changed from what it is now, and not beyond the limit', () => {
    const scene = session();
    scene.when(set(null));
    const of = scene.state.version;
    scene.when(set(of, { nextRunAt: AT[1] }));
    scene.rejects(set(of), 'version_conflict');
    scene.rejects(set(7, { scheduleId: 'unknown' }), 'schedule_not_found');
    scene.when(set(null, { scheduleId: 's2' }));
    scene.rejects(set(null, { scheduleId: 's3' }), 'limit_reached');
  });

  it('is not resumed beyond the limit, which an import may have passed', () => {
    const scene = session();
    const paused = { definition: { timing: { kind: 'interval', seconds: 3_600 }, input: 'hello', whenBusy: 'skip', paused: true }, nextRunAt: null };
    const ids = ['s1', 's2', 's3', 's4'];
    for (const scheduleId of ids) scene.when(set(null, { scheduleId, ...paused, limit: 100 }));
    const change = (scheduleId: string, more: object = {}) => set(scene.state.schedules.get(scheduleId)!.seq, { scheduleId, ...more });
    scene.when(change('s1'));
    scene.when(change('s2'));
    scene.rejects(change('s3'), 'limit_reached');
    scene.when(change('s3', paused)); // it stays paused
    scene.when(change('s1')); // it is not paused
    scene.when(change('s1', paused));
    scene.when(change('s3'));
    scene.rejects(change('s4'), 'limit_reached');
  });
});
