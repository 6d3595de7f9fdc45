import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { StandbyFailure, type StandbyFault } from './standby-failure.js';
import { StandbyHealth } from './standby-health.js';

const failure = (fault: StandbyFault): StandbyFailure => new StandbyFailure(fault, new Error(fault));

function watched() {
  const clock = { now: 0 };
  const lines: string[] = [];
  return {
    clock,
    lines,
    health: new StandbyHealth(
      'second:5432/verbatim',
      (line) => lines.push(line),
      () => clock.now,
    ),
  };
}

it('after a failure it is not tried for a while that doubles up to half a minute, then by one read', () => {
  const { clock, health } = watched();
  for (let failures = 1; failures <= 12; failures += 1) {
    health.failed(failure('lost'));
    health.failed(failure('lost')); // of a read that began before
    const from = clock.now;
    while (!health.take()) clock.now += 10;
    expect(clock.now - from).toBe(Math.min(250 * 2 ** (failures - 1), 30_000));
    expect(health.take()).toBe(false); // the others do not join it
  }
  health.works();
  expect(health.take()).toBe(true);
  expect(health.take()).toBe(true);
});

it('says once that it is not used and once that it is again, whatever comes', () => {
  const faults = fc.constantFrom<StandbyFault | 'works'>('lagging', 'silent', 'lost', 'foreign', 'cancelled', 'failed', 'works');
  fc.assert(
    fc.property(fc.array(faults), (events) => {
      const { clock, lines, health } = watched();
      for (const event of events) {
        clock.now += 60_000;
        health.take();
        if (event === 'works') health.works();
        else health.failed(failure(event));
      }
      for (const [index, line] of lines.entries()) expect(line).toContain(index % 2 === 0 ? 'is not used' : 'is used for reads again');
      const [first] = events;
      if (first === 'lost' || first === 'foreign' || first === 'silent') expect(lines[0]).toContain('second:5432');
      if (events.every((event) => event === 'cancelled' || event === 'failed' || event === 'works')) expect(lines).toEqual([]);
    }),
  );
});

it('is silent about a standby that lags a little, and says it of one that keeps lagging', () => {
  const { clock, lines, health } = watched();
  for (let times = 1; times <= 8; times += 1) {
    health.failed(failure('lagging'));
    expect(lines.length).toBe(times < 5 ? 0 : 1);
    clock.now += 60_000;
    health.take();
  }
});
