import { describe, expect, it } from '@jest/globals';
import type { Row } from '../../../test/support/api-rules/row.js';
import { BETAS } from '../../../test/support/api-rules/rows/betas.js';
import { CACHE } from '../../../test/support/api-rules/rows/cache.js';
import { CONTENT } from '../../../test/support/api-rules/rows/content.js';
import { FIELDS } from '../../../test/support/api-rules/rows/fields.js';
import { MEDIA } from '../../../test/support/api-rules/rows/media.js';
import { NEW_MEMBERS } from '../../../test/support/api-rules/rows/new-members.js';
import { PAIRS } from '../../../test/support/api-rules/rows/pairs.js';
import { PARAMETERS } from '../../../test/support/api-rules/rows/parameters.js';
import { THINKING } from '../../../test/support/api-rules/rows/thinking.js';
import { TOOLS } from '../../../test/support/api-rules/rows/tools.js';
import { profileFor } from '../models/profiles.js';
import { RULES, apiError, checkRequest, type CheckSettings } from './index.js';

const ROWS: readonly Row[] = [...FIELDS, ...PARAMETERS, ...TOOLS, ...CACHE, ...CONTENT, ...PAIRS, ...THINKING, ...MEDIA, ...BETAS, ...NEW_MEMBERS];

function check(body: unknown, { provider }: Row, settings?: CheckSettings) {
  const model = typeof body === 'object' && body !== null && 'model' in body ? String(body.model) : '';
  return checkRequest(body, profileFor(model, provider), settings);
}

describe('rules of the model API', () => {
  for (const row of ROWS) {
    const { rule, at, text, status, when } = row;
    it(`${rule}${when ? `, when ${when}` : ''}`, () => {
      expect(check(row.body, row, row.settings)[0]).toEqual(status ? { rule, at, text, status } : { rule, at, text });
      expect(check(row.fixed, row, row.fixedSettings)).toEqual([]);
    });
  }

  it('has at least one row', () => {
    const covered = new Set(ROWS.map(({ rule }) => rule));
    expect(RULES.filter((rule) => !covered.has(rule))).toEqual([]);
  });
});

describe('apiError', () => {
  it.each([
    [undefined, 400, 'invalid_request_error'],
    [404, 404, 'not_found_error'],
    [413, 413, 'request_too_large'],
  ] as const)('gives the envelope for status %s', (status, expected, type) => {
    const problem = { rule: 'empty-text', at: 'system.0', text: 'why', ...(status ? { status } : {}) } as const;
    expect(apiError(problem, 'req_1')).toEqual({
      status: expected,
      body: { type: 'error', error: { type, message: 'why' }, request_id: 'req_1' },
    });
  });
});
