import { expect, it } from '@jest/globals';
import { assistant, contextOf, conversation, runPass, text, turn, user } from '../../../test/support/normalize/build.js';
import { expectBlocks, expectSame } from '../../../test/support/normalize/pass-spec.js';
import { pairServerTools } from './pair-server-tools.js';

const search = (id = 'srvtoolu_1') => ({ type: 'server_tool_use', id, name: 'web_search', input: {} });
const found = (id = 'srvtoolu_1') => ({ type: 'web_search_tool_result', tool_use_id: id, content: [] });

it.each<[string, object[], object[]]>([
  ['drops a search without its result, and a result without its search', [search(), text('a'), found('srvtoolu_2')], [text('a')]],
  ['renames the id of another provider', [search('srv-1'), found('srv-1')], [search('srvtoolu_srv_1'), found('srvtoolu_srv_1')]],
])('%s', (_what, before, after) => {
  expectBlocks('assistant', pairServerTools, before, after);
});

it('keeps a search with its result', () => {
  expectSame(pairServerTools, [assistant('m', [search(), found(), text('a')])]);
});

it('keeps an open search at the end when its tool is offered', () => {
  const open = [user('p'), assistant('m', [search()])];
  expectSame(pairServerTools, open, contextOf({ tools: new Set(['web_search']) }));
  expect(runPass(pairServerTools, conversation(...open)).messages[1]).toEqual(turn('assistant'));
});
