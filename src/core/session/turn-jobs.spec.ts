import { expect, it } from '@jest/globals';
import { isStaleJob, turnJob } from './turn-jobs.js';

it('treats jobs of earlier segments as stale, and no other job of the turn', () => {
  const names = [turnJob('t', 0), turnJob('t', 9), turnJob('t', 12), 't.requeued', 't9', 'other.3'];
  const stale = (segment: number) => names.filter((name) => isStaleJob({ turnId: 't', segment }, name));
  expect(stale(0)).toEqual([]);
  expect(stale(9)).toEqual(['t']);
  expect(stale(12)).toEqual(['t', 't.9']);
});
