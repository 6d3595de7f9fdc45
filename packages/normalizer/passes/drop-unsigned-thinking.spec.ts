import { it } from '@jest/globals';
import { assistant, text, thinking } from '../../../test/support/normalize/build.js';
import { expectBlocks, expectSame } from '../../../test/support/normalize/pass-spec.js';
import { dropUnsignedThinking } from './drop-unsigned-thinking.js';

it.each<[string, object[], object[]]>([
  ['drops thinking without a signature', [thinking('t', ''), { type: 'thinking', thinking: 't' }, { type: 'redacted_thinking', data: '' }], []],
])('%s', (_what, before, after) => {
  expectBlocks('assistant', dropUnsignedThinking, before, after);
});

it('keeps signed thinking, visible or not', () => {
  expectSame(dropUnsignedThinking, [assistant('m', [thinking('t'), thinking('', 'sig'), { type: 'redacted_thinking', data: 'd' }, text('a')])]);
});
