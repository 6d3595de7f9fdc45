import { createHash } from 'node:crypto';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { NORMALIZER } from '../../packages/normalizer/build-payload.js';
import { readMessages } from '../../packages/normalizer/plain-message.js';
import { DEFAULT_NORMALIZE_GATES, NORMALIZE_GATES } from '../../packages/protocol/gates.js';
import { view } from '../support/normalize/build.js';
import { hostileTranscript } from '../support/normalize/hostile.js';
import { MODELS } from '../support/normalize/models.js';
import { CASES } from './cases/index.js';

/**
 * SHA-256 of many bodies, by the version of the pipeline that makes them. A row is never changed: another body needs another version, so that a request names the rules
 * that it was made by. A change of the inputs (the cases, the generator) alone changes the last row.
 */
const RECORDED: Readonly<Record<string, string>> = {
  '8': 'dd464c23b67013042bbb0364489a8ca942a071aff7981ab4593d11032fd9f581',
  '9': 'e718961440d5a008fd5657a0c8ebc2b318d49d4645869e296d0ef14c6c152707',
};

/** Every model, and every gate alone. */
const SETTINGS = [
  ...MODELS.map((model) => ({ model, gates: DEFAULT_NORMALIZE_GATES })),
  ...NORMALIZE_GATES.map((gate) => ({ model: MODELS[0]!, gates: { ...DEFAULT_NORMALIZE_GATES, [gate]: true } })),
];

it('bodies change with the version of the pipeline only', () => {
  const hash = createHash('sha256');
  const transcripts = [
    ...CASES.map(({ messages, settings = {} }) => ({ messages: readMessages(messages), settings })),
    ...fc.sample(hostileTranscript, { seed: 1, numRuns: 150 }).map((messages) => ({ messages, settings: {} })),
  ];
  for (const { messages, settings } of transcripts) {
    for (const one of SETTINGS) hash.update(view(messages, { system: 'Be brief.', context: { place: 'Berlin' }, ...settings, ...one }, false).body);
  }
  const digest = hash.digest('hex');
  const advice =
    RECORDED[NORMALIZER] === digest ? '' : `Bodies have changed. Raise NORMALIZER in packages/normalizer/build-payload.ts, and record ${digest} for it here.`;
  expect(advice).toBe('');
});
