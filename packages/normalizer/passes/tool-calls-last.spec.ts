import { it } from '@jest/globals';
import { assistant, call, text, thinking, turn, user } from '../../../test/support/normalize/build.js';
import { expectSame, expectTurns } from '../../../test/support/normalize/pass-spec.js';
import { toolCallsLast } from './tool-calls-last.js';

const p = user('p');
const U = (...blocks: readonly object[]) => turn('user', ...blocks);
const A = (...blocks: readonly object[]) => turn('assistant', ...blocks);
const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} };

it('moves text and searches in front of calls', () => {
  const trace = [
    ['moved', '1.1', '1.0'],
    ['moved', '1.3', '1.1'],
  ];
  const entries = [p, assistant('m', [call('x'), text('a'), call('y'), search])];
  expectTurns(toolCallsLast, entries, [U(text('p')), A(text('a'), search, call('x'), call('y'))], trace);
});

it('moves nothing across thinking', () => {
  const trace = [
    ['moved', '1.1', '1.0'],
    ['moved', '1.4', '1.3'],
  ];
  const entries = [p, assistant('m', [call('x'), text('a'), thinking('t'), call('y'), text('b')])];
  expectTurns(toolCallsLast, entries, [U(text('p')), A(text('a'), call('x'), thinking('t'), text('b'), call('y'))], trace);
});

it('keeps calls between thinking', () => {
  expectSame(toolCallsLast, [p, assistant('m', [thinking('t'), text('a'), call('x'), thinking('u'), call('y')])]);
});
