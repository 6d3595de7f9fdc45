import { it } from '@jest/globals';
import { assistant, text } from '../../../test/support/normalize/build.js';
import { expectBlocks, expectSame } from '../../../test/support/normalize/pass-spec.js';
import { stripAdvisor } from './strip-advisor.js';

const asked = { type: 'server_tool_use', id: 'srvtoolu_9', name: 'advisor', input: {} };
const advice = { type: 'advisor_tool_result', tool_use_id: 'srvtoolu_9', content: { type: 'advisor_result', text: 'x' } };

it('removes calls of the advisor and their results', () => {
  expectBlocks('assistant', stripAdvisor, [text('a'), asked, advice], [text('a')]);
});

it('keeps other server tools', () => {
  expectSame(stripAdvisor, [assistant('m', [text('a'), { ...asked, name: 'web_search' }])]);
});
