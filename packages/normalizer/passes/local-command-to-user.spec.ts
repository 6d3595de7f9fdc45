import { expect, it } from '@jest/globals';
import { assistant, conversation, runPass, system, text, turn, user } from '../../../test/support/normalize/build.js';
import { expectSame } from '../../../test/support/normalize/pass-spec.js';
import { localCommandToUser } from './local-command-to-user.js';

it('sends the output of a local command as text of the user', () => {
  expect(runPass(localCommandToUser, conversation(system('local_command', 'ls: a'))).messages).toEqual([turn('user', text('ls: a'))]);
});

it('keeps messages of people and models', () => {
  expectSame(localCommandToUser, [user('p'), assistant('m', [text('a')])]);
});
