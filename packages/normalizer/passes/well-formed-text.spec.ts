import { it } from '@jest/globals';
import { result, text, thinking, user } from '../../../test/support/normalize/build.js';
import { expectBlocks, expectSame } from '../../../test/support/normalize/pass-spec.js';
import { wellFormedText } from './well-formed-text.js';

it.each<['user' | 'assistant', string, object[], object[]]>([
  ['user', 'replaces half a surrogate pair', [text('\ud83d!')], [text('\ufffd!')]],
  ['user', 'replaces half a surrogate pair inside a result', [result('x', [text('\ud83d')])], [result('x', [text('\ufffd')])]],
  ['assistant', 'drops signed thinking that it would have to change', [thinking('\ud83d')], []],
])('%s: %s', (kind, _what, before, after) => {
  expectBlocks(kind, wellFormedText, before, after);
});

it('keeps whole surrogate pairs', () => {
  expectSame(wellFormedText, [user('\ud83d\ude00')]);
});
