import { it } from '@jest/globals';
import { result, text, user } from '../../../test/support/normalize/build.js';
import { expectBlocks, expectSame } from '../../../test/support/normalize/pass-spec.js';
import { unifyCitations } from './unify-citations.js';

const cited = (enabled?: boolean) => ({
  type: 'document',
  source: { type: 'text', media_type: 'text/plain', data: 'd' },
  ...(enabled === undefined ? {} : { citations: { enabled } }),
});

it('lets the first document decide for all, those of results included', () => {
  const before = [cited(true), cited(), result('x', [cited(false)])];
  expectBlocks('user', unifyCitations, before, [cited(true), cited(true), result('x', [cited(true)])]);
});

it('decides for documents and search results separately', () => {
  const found = (enabled: boolean) => ({ type: 'search_result', source: 's', title: 't', content: [text('a')], citations: { enabled } });
  expectSame(unifyCitations, [user([cited(true), found(false), cited(true)])]);
});
