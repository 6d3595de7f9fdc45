import { it } from '@jest/globals';
import { assistant, call, text, thinking } from '../../../test/support/normalize/build.js';
import { expectBlocks, expectSame } from '../../../test/support/normalize/pass-spec.js';
import { dropBlankText } from './drop-blank-text.js';

it('drops a user text of white space from any message', () => {
  expectBlocks('user', dropBlankText, [text('a'), text(' \n'), text('')], [text('a')]);
});

it('drops white space from an answer that has no other text', () => {
  expectBlocks('assistant', dropBlankText, [text('\n'), call('x')], [call('x')]);
});

it('keeps white space between thinking where the answer has text', () => {
  expectSame(dropBlankText, [assistant('m', [thinking('t'), text('\n\n'), thinking('u'), text('words')])]);
});
