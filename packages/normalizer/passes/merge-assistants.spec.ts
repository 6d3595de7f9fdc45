import { it } from '@jest/globals';
import { assistant, call, result, text, turn, user } from '../../../test/support/normalize/build.js';
import { expectSame, expectTurns } from '../../../test/support/normalize/pass-spec.js';
import { mergeAssistants } from './merge-assistants.js';

const p = user('p');
const q = user('q');
const said = assistant('m', [text('a')]);
const U = (...blocks: readonly object[]) => turn('user', ...blocks);
const A = (...blocks: readonly object[]) => turn('assistant', ...blocks);

it('merges answers in a row', () => {
  expectTurns(mergeAssistants, [p, said, assistant('n', [text('b')])], [U(text('p')), A(text('a'), text('b'))], [['merged', '2.0', '1.1']]);
});

it('merges an answer with calls and the next one with calls', () => {
  const entries = [p, assistant('m', [call('x')]), assistant('n', [text('b'), call('y')]), user([result('y', '2'), result('x', '1')])];
  const trace = [
    ['merged', '2.0', '1.1'],
    ['merged', '2.1', '1.2'],
  ];
  expectTurns(mergeAssistants, entries, [U(text('p')), A(call('x'), text('b'), call('y')), U(result('y', '2'), result('x', '1'))], trace);
});

it('does not merge an answer with an open call and the next one', () => {
  expectSame(mergeAssistants, [p, assistant('m', [call('x')]), said, q]);
});
