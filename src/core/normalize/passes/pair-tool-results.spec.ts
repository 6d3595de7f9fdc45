import { expect, it } from '@jest/globals';
import { assistant, conversation, image, runPass, user } from '../../../../test/support/normalize/build.js';
import { pairToolResults } from './pair-tool-results.js';

const call = { type: 'tool_use', id: 'a', name: 'browse', input: {}, toolset_name: 'browser' };
const document = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'd' } };
const text = { type: 'text', text: 'seen' };
const result = (content: unknown, more = {}): object => ({ type: 'tool_result', tool_use_id: 'a', content, ...more });

it('sends what the result of a toolset call cannot contain beside it', () => {
  const ran = runPass(pairToolResults, conversation(assistant('m', [call]), user([result([text, document, image()])])));
  expect(ran.messages[1]?.blocks).toEqual([result([text, image()], { toolset_name: 'browser' }), document]);
  expect(ran.isIdempotent).toBe(true);
});

it('keeps documents in the results of other calls', () => {
  const { toolset_name: _, ...other } = call;
  expect(runPass(pairToolResults, conversation(assistant('m', [other]), user([result([text, document])]))).isSame).toBe(true);
});
