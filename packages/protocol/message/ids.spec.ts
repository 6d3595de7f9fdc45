import { expect, it } from '@jest/globals';
import { blockUuid, deriveId } from './ids.js';

const SEED = '9b2f6c1e-4d3a-4f60-8a51-0c7d2e9b1f34';
const NAMES = ['result', 'closed-calls', 'interruption', 'partial-answer', 'failure', 'notice', 'boundary', 'summary', 'skills'];

it('derives one uuid per seed and name, and none of them shares the uuids of its blocks with another', () => {
  const ids = NAMES.map((name) => deriveId(SEED, name));
  expect(ids).toEqual(NAMES.map((name) => deriveId(SEED, name)));
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  const all = [SEED, ...ids];
  const blocks = all.flatMap((id) => [blockUuid(id, 0), blockUuid(id, 1)]);
  expect(new Set([...all, ...blocks]).size).toBe(3 * all.length);
});

it('derives different ids of the same name from different seeds', () => {
  expect(deriveId(SEED.replace('9b', '9c'), 'notice')).not.toBe(deriveId(SEED, 'notice'));
});
