import { describe, expect, it } from '@jest/globals';
import { checkRequest } from '../../src/core/strict/index.js';
import { readMessages } from '../../src/core/view/plain-message.js';
import { profileFor } from '../../src/core/view/profiles.js';
import { view } from '../support/view/build.js';
import { toldOf, turnsOf, type Case } from './cases/case.js';
import { CASES } from './cases/index.js';

const viewOf = ({ messages, settings }: Case) => view(readMessages(messages), { ...settings, cacheMarkers: false });

describe('what becomes of conversations as people hand them in', () => {
  it.each(CASES.map((one) => [one.name, one] as const))('%s', (_name, one) => {
    const { payload, trace } = viewOf(one);
    expect(payload.messages).toEqual(turnsOf(one));
    expect(toldOf(trace, readMessages(one.messages))).toEqual(one.told);
    expect(checkRequest(payload, profileFor(payload.model)).map(({ rule }) => rule)).toEqual(one.problems ?? []);
  });
});
