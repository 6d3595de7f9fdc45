import { it } from '@jest/globals';
import { assistant, text, thinking, turn, user } from '../../../test/support/normalize/build.js';
import { expectSame, expectTurns } from '../../../test/support/normalize/pass-spec.js';
import { dropOrphanedThinking } from './drop-orphaned-thinking.js';

const p = user('p');
const q = user('q');
const U = (...blocks: readonly object[]) => turn('user', ...blocks);

it('drops the thinking of an answer that has nothing else', () => {
  expectTurns(dropOrphanedThinking, [p, assistant('m', [thinking('t')]), q], [U(text('p')), U(text('q'))], [['dropped', '1.0', null]]);
});

it('keeps thinking before text', () => {
  expectSame(dropOrphanedThinking, [p, assistant('m', [thinking('t'), text('a')]), q]);
});
