import { expect, it } from '@jest/globals';
import { profileFor } from '../models/profiles.js';
import { checkRequest } from '../api-rules/index.js';
import { assistant, conversation, runPass, text, turn, user, view } from '../../../test/support/normalize/build.js';
import { flattenBlocks } from './flatten-blocks.js';

const hit = { type: 'web_search_result', title: 'A page', url: 'https://example.com' };

it.each([
  [
    'a call of an MCP connector',
    { type: 'mcp_tool_use', id: 'a', name: 'look', server_name: 'maps', input: { q: 1 } },
    'Called look of the MCP server maps with {"q":1}',
  ],
  ['its result', { type: 'mcp_tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'there' }] }, 'there'],
  ['a compaction block', { type: 'compaction', content: 'What happened so far.' }, 'What happened so far.'],
  ['connector text', { type: 'connector_text', connector_text: 'and so', signature: 's' }, 'and so'],
  ['search hits without encrypted content', { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [hit] }, 'A page\nhttps://example.com'],
])('sends %s as text', (_what, block, expected) => {
  const ran = runPass(flattenBlocks, conversation(assistant('m', [block])));
  expect(ran.messages).toEqual([turn('assistant', text(expected))]);
  expect(ran).toMatchObject({ isIdempotent: true, trace: [['changed', '0.0', '0.0']] });
});

it('a fetched document without its type is no document: it is sent as text, or not at all', () => {
  const call = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_fetch', input: {} };
  const document = { source: { type: 'text', media_type: 'text/plain', data: 'd' } };
  const fetched = { type: 'web_fetch_tool_result', tool_use_id: 'srvtoolu_1', content: { type: 'web_fetch_result', url: 'u', content: document } };
  const { payload } = view(conversation(user('q'), assistant('m', [call, fetched])));
  expect(checkRequest(payload, profileFor(payload.model))).toEqual([]);
});

it('keeps complete search hits', () => {
  const complete = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [{ ...hit, encrypted_content: 'e' }] };
  expect(runPass(flattenBlocks, conversation(assistant('m', [complete]))).isSame).toBe(true);
});
