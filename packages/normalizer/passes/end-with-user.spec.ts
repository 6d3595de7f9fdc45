import { expect, it } from '@jest/globals';
import { assistant, contextOf, conversation, runPass, text, thinking, turn, user } from '../../../test/support/normalize/build.js';
import { expectSame, expectTurns } from '../../../test/support/normalize/pass-spec.js';
import { CONTINUE } from '../placeholders.js';
import { endWithUser } from './end-with-user.js';

const p = user('p');
const said = assistant('m', [text('a')]);
const U = (...blocks: readonly object[]) => turn('user', ...blocks);
const A = (...blocks: readonly object[]) => turn('assistant', ...blocks);
const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} };

it('appends a placeholder to an answer at the end', () => {
  expectTurns(endWithUser, [p, said], [U(text('p')), A(text('a')), U(text(CONTINUE))], [['added', null, '2.0']]);
});

it('keeps a turn that the API paused', () => {
  expectSame(endWithUser, [p, assistant('m', [text('a'), search])]);
});

it('removes white space and thinking from the end of an answer that the model continues', () => {
  const open = conversation(p, assistant('m', [text('a \n'), thinking('t'), text(' ')]));
  expect(runPass(endWithUser, open, contextOf({ model: 'claude-haiku-4-5' })).messages).toEqual([U(text('p')), A(text('a'))]);
});
