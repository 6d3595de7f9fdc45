import { it } from '@jest/globals';
import { call, image, result, text, user } from '../../../test/support/normalize/build.js';
import { expectBlocks, expectSame } from '../../../test/support/normalize/pass-spec.js';
import { repairToolResults } from './repair-tool-results.js';

it.each<[string, object[], object[]]>([
  ['serializes an object as content', [result('x', { a: 1 })], [result('x', '{"a":1}')]],
  ['removes empty content', [result('x', null), result('y', []), result('z', [text('')])], [result('x'), result('y'), result('z')]],
  ['sends a call inside a result as text', [result('x', [call('n')])], [result('x', [text(JSON.stringify(call('n')))])]],
])('%s', (_what, before, after) => {
  expectBlocks('user', repairToolResults, before, after);
});

it('keeps strings, texts and images', () => {
  expectSame(repairToolResults, [user([result('x', 'a'), result('y', [text('b'), image()])])]);
});
