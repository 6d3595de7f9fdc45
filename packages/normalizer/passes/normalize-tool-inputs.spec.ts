import { it } from '@jest/globals';
import { assistant, call } from '../../../test/support/normalize/build.js';
import { expectBlocks, expectSame } from '../../../test/support/normalize/pass-spec.js';
import { NAMELESS_TOOL } from '../placeholders.js';
import { normalizeToolInputs } from './normalize-tool-inputs.js';

it.each<[string, object[], object[]]>([
  [
    'parses text, and replaces null and nothing',
    [call('a', '{"p":1}'), call('b', null), call('c', undefined)],
    [call('a', { p: 1 }), call('b', {}), call('c', {})],
  ],
  ['keeps an incomplete or non-object input as `raw`', [call('a', '{"p'), call('b', [1])], [call('a', { raw: '{"p' }), call('b', { raw: [1] })]],
  ['trims the name, and names a call without one', [call('a', {}, ' Read '), call('b', {}, '')], [call('a', {}, 'Read'), call('b', {}, NAMELESS_TOOL)]],
])('%s', (_what, before, after) => {
  expectBlocks('assistant', normalizeToolInputs, before, after);
});

it('keeps an object', () => {
  expectSame(normalizeToolInputs, [assistant('m', [call('a', { p: '{' })])]);
});
