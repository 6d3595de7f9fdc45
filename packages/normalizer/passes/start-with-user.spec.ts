import { it } from '@jest/globals';
import { assistant, text, turn, user } from '../../../test/support/normalize/build.js';
import { expectSame, expectTurns } from '../../../test/support/normalize/pass-spec.js';
import { CONVERSATION_BEGINS } from '../placeholders.js';
import { startWithUser } from './start-with-user.js';

const p = user('p');
const q = user('q');
const said = assistant('m', [text('a')]);
const U = (...blocks: readonly object[]) => turn('user', ...blocks);
const A = (...blocks: readonly object[]) => turn('assistant', ...blocks);

it('puts a placeholder before an answer at the start', () => {
  expectTurns(startWithUser, [said, q], [U(text(CONVERSATION_BEGINS)), A(text('a')), U(text('q'))], [['added', null, '0.0']]);
});

it('keeps a conversation that starts with a prompt', () => {
  expectSame(startWithUser, [p, said, q]);
});
