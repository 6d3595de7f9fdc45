import { expect, it } from '@jest/globals';
import { isStaleJob, turnJob } from './turn-jobs.js';

it('a job is left over once its turn has gone on after waiting, whatever was queued for the turn besides', () => {
  const names = [turnJob('t', 0), turnJob('t', 9), turnJob('t', 12), 't.requeued', 't9', 'other.3'];
  const leftover = (segment: number) => names.filter((name) => isStaleJob({ turnId: 't', segment }, name));
  expect(leftover(0)).toEqual([]);
  expect(leftover(9)).toEqual(['t']);
  expect(leftover(12)).toEqual(['t', 't.9']);
});
