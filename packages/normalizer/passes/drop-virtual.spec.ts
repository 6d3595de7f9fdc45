import { it } from '@jest/globals';
import { assistant, text, turn, user } from '../../../test/support/normalize/build.js';
import { expectSame, expectTurns } from '../../../test/support/normalize/pass-spec.js';
import { dropVirtual } from './drop-virtual.js';

it('drops messages for readers only', () => {
  const entries = [user('p'), user('note', { isVirtual: true }), assistant('m', [text('shown')], { isVirtual: true })];
  const trace = [
    ['dropped', '1.0', null],
    ['dropped', '2.0', null],
  ];
  expectTurns(dropVirtual, entries, [turn('user', text('p'))], trace);
});

it('keeps every other message', () => {
  expectSame(dropVirtual, [user('p'), assistant('m', [text('a')])]);
});
