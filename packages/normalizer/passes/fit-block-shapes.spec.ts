import { it } from '@jest/globals';
import { assistant, call, result, text, thinking } from '../../../test/support/normalize/build.js';
import { expectBlocks, expectSame } from '../../../test/support/normalize/pass-spec.js';
import { fitBlockShapes } from './fit-block-shapes.js';

const citation = { type: 'char_location', cited_text: 'c', document_index: 0, document_title: 't', start_char_index: 0, end_char_index: 1 };
const marker = { cache_control: { type: 'ephemeral' } };

it.each<['user' | 'assistant', string, object[], object[]]>([
  ['user', 'a stored cache marker', [{ ...text('a'), ...marker }], [text('a')]],
  ['user', 'a flag that is not a boolean', [{ ...result('x', 'a'), is_error: null }], [result('x', 'a')]],
  ['user', "citations, which are the model's", [{ ...text('a'), citations: [citation] }], [text('a')]],
  ['user', 'citations in a result', [result('x', [{ ...text('a'), citations: [citation] }])], [result('x', [text('a')])]],
  ['assistant', 'members of a stream', [{ ...call('x'), index: 1, partial_json: '{' }], [call('x')]],
  ['assistant', 'a marker on thinking, which stays as signed', [{ ...thinking('t'), ...marker }], [thinking('t')]],
  ['assistant', 'the file of a citation', [{ ...text('a'), citations: [{ ...citation, file_id: 'f' }] }], [{ ...text('a'), citations: [citation] }]],
])('%s: removes %s', (kind, _what, before, after) => {
  expectBlocks(kind, fitBlockShapes, before, after);
});

it('keeps valid blocks, and any member of an input', () => {
  expectSame(fitBlockShapes, [assistant('m', [text('a'), call('x', { any: 'key' })])]);
});
