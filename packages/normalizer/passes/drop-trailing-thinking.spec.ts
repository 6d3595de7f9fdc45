import { it } from '@jest/globals';
import { assistant, text, thinking, turn, user } from '../../../test/support/normalize/build.js';
import { expectSame, expectTurns } from '../../../test/support/normalize/pass-spec.js';
import { dropTrailingThinking } from './drop-trailing-thinking.js';

const p = user('p');
const q = user('q');
const U = (...blocks: readonly object[]) => turn('user', ...blocks);
const A = (...blocks: readonly object[]) => turn('assistant', ...blocks);

it('drops thinking at the end of the request', () => {
  const entries = [p, assistant('m', [text('a'), thinking('t')])];
  expectTurns(dropTrailingThinking, entries, [U(text('p')), A(text('a'))], [['dropped', '1.1', null]]);
});

it('keeps thinking at the end of an earlier answer', () => {
  expectSame(dropTrailingThinking, [p, assistant('m', [text('a'), thinking('t')]), q]);
});
