import { it } from '@jest/globals';
import { assistant, text, turn, user } from '../../../test/support/normalize/build.js';
import { expectSame, expectTurns } from '../../../test/support/normalize/pass-spec.js';
import { mergeUsers } from './merge-users.js';

const p = user('p');
const q = user('q');
const U = (...blocks: readonly object[]) => turn('user', ...blocks);

it('merges user turns in a row, and drops empty ones', () => {
  const trace = [
    ['dropped', '1.0', null],
    ['merged', '2.0', '0.1'],
  ];
  expectTurns(mergeUsers, [p, user(''), q], [U(text('p'), text('q'))], trace);
});

it('keeps turns that alternate', () => {
  expectSame(mergeUsers, [p, assistant('m', [text('a')]), q]);
});
