import { it } from '@jest/globals';
import { assistant, call, text, turn, user } from '../../../../test/support/normalize/build.js';
import { expectSame, expectTurns } from '../../../../test/support/normalize/pass-spec.js';
import { dropBlankAssistants } from './drop-blank-assistants.js';

const p = user('p');
const q = user('q');
const U = (...blocks: readonly object[]) => turn('user', ...blocks);

it('drops an answer without content and merges the turns around it', () => {
  const trace = [
    ['dropped', '1.0', null],
    ['merged', '2.0', '0.1'],
  ];
  expectTurns(dropBlankAssistants, [p, assistant('m', []), q], [U(text('p'), text('q'))], trace);
});

it('keeps an answer with a call alone', () => {
  expectSame(dropBlankAssistants, [p, assistant('m', [call('x')]), q]);
});
