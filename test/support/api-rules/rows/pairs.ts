import { OLDER_MODEL, WEB_SEARCH, answered, assistant, found, request, result, search, system, text, use, user, type Row } from '../row.js';

const q = user(text('q'));
const a = assistant(text('a'));
const unanswered = (message: number, ...ids: readonly string[]): string =>
  `messages.${message}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(', ')}. ` +
  'Each `tool_use` block must have a corresponding `tool_result` block in the next message.';
const unexpected = (at: string, id: string): string =>
  `${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. ` +
  'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.';
const code = { caller: { type: 'code_execution_20260120', tool_id: 'srvtoolu_1' } };
const running = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'code_execution', input: {} };
const runner = { tools: [{ type: 'code_execution_20260120', name: 'code_execution' }] };

export const PAIRS: readonly Row[] = [
  {
    rule: 'duplicate-tool-use-id',
    body: request([...answered([use('a')], result('a')), assistant(use('a')), user(result('a'))]),
    fixed: request([...answered([use('a')], result('a')), assistant(use('b')), user(result('b'))]),
    at: 'messages.3.content.0',
    text: 'messages.3.content.0: `tool_use` ids must be unique',
  },
  {
    rule: 'tool-use-not-last',
    when: 'text after the call',
    body: request([q, assistant(use('a'), text('b')), user(result('a'))]),
    fixed: request([q, assistant(text('b'), use('a')), user(result('a'))]),
    at: 'messages.1.content.0',
    text: unanswered(1, 'a'),
  },
  {
    rule: 'tool-use-not-last',
    when: 'a server tool result after the call',
    body: request([q, assistant(use('a'), search('srvtoolu_1'), found('srvtoolu_1')), user(result('a'))], { tools: [WEB_SEARCH] }),
    fixed: request([q, assistant(search('srvtoolu_1'), found('srvtoolu_1'), use('a')), user(result('a'))], { tools: [WEB_SEARCH] }),
    at: 'messages.1.content.0',
    text: unanswered(1, 'a'),
  },
  {
    rule: 'tool-use-without-result',
    body: request([q, assistant(use('a'), use('b')), q]),
    fixed: request([q, assistant(use('a'), use('b')), user(result('b'), result('a'), text('q'))]),
    at: 'messages.1.content.0',
    text: unanswered(1, 'a', 'b'),
  },
  {
    rule: 'tool-use-without-result',
    when: 'the last message is the call',
    body: request([q, assistant(text('a'), use('a'))], { model: OLDER_MODEL }),
    fixed: request([q, assistant(text('a'))], { model: OLDER_MODEL }),
    at: 'messages.1.content.1',
    text: unanswered(1, 'a'),
  },
  {
    rule: 'tool-use-without-result',
    when: 'a system message between call and result',
    body: request([q, assistant(use('a')), system(text('s')), user(result('a'))], { model: 'claude-opus-5' }),
    fixed: request([q, assistant(use('a')), user(result('a')), system(text('s'))], { model: 'claude-opus-5' }),
    at: 'messages.1.content.0',
    text: unanswered(1, 'a'),
  },
  {
    rule: 'tool-result-not-first',
    body: request(answered([use('a')], text('no'), result('a'))),
    fixed: request(answered([use('a')], result('a'), text('no'))),
    at: 'messages.1.content.0',
    text: unanswered(1, 'a'),
  },
  {
    rule: 'tool-result-not-first',
    when: 'text between two messages of results',
    body: request([q, assistant(use('a')), assistant(use('b')), user(result('a')), user(text('no')), user(result('b'))]),
    fixed: request([q, assistant(use('a')), assistant(use('b')), user(result('a')), user(result('b')), user(text('no'))]),
    at: 'messages.2.content.0',
    text: unanswered(2, 'b'),
  },
  {
    rule: 'tool-result-without-use',
    body: request([user(result('a'))]),
    fixed: request([q]),
    at: 'messages.0.content.0',
    text: unexpected('messages.0.content.0', 'a'),
  },
  {
    rule: 'tool-result-without-use',
    when: 'the call is a server tool call',
    body: request([q, assistant(use('a'), search('srvtoolu_1')), user(result('a'), result('srvtoolu_1'))], {
      tools: [WEB_SEARCH],
    }),
    fixed: request([q, assistant(use('a'), search('srvtoolu_1')), user(result('a'))], { tools: [WEB_SEARCH] }),
    at: 'messages.2.content.1',
    text: unexpected('messages.2.content.1', 'srvtoolu_1'),
  },
  {
    rule: 'duplicate-tool-result',
    body: request(answered([use('a')], result('a'), result('a'))),
    fixed: request(answered([use('a')], result('a'))),
    at: 'messages.2.content.1',
    text: 'messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a',
  },
  {
    rule: 'toolset-name-mismatch',
    body: request(answered([use('a', { toolset_name: 'browser' })], result('a'))),
    fixed: request(answered([use('a', { toolset_name: 'browser' })], result('a', { toolset_name: 'browser' }))),
    at: 'messages.2.content.0.toolset_name',
    text: "[stand-in] messages.2.content.0.tool_result.toolset_name: must be 'browser', as in the call it answers",
  },
  {
    rule: 'server-tool-use-without-result',
    body: request([q, assistant(search('srvtoolu_1')), q], { tools: [WEB_SEARCH] }),
    fixed: request([q, assistant(search('srvtoolu_1'))], { tools: [WEB_SEARCH] }),
    at: 'messages.1.content.0',
    text: '`web_search` tool use with id `srvtoolu_1` was found without a corresponding `web_search_tool_result` block',
  },
  {
    rule: 'server-tool-use-without-result',
    when: 'text after the results of a turn with client and server tools',
    body: request(answered([use('a'), search('srvtoolu_1')], result('a'), text('and')), { tools: [WEB_SEARCH] }),
    fixed: request(answered([use('a'), search('srvtoolu_1')], result('a')), { tools: [WEB_SEARCH] }),
    at: 'messages.1.content.1',
    text: '`web_search` tool use with id `srvtoolu_1` was found without a corresponding `web_search_tool_result` block',
  },
  {
    rule: 'server-tool-not-provided',
    body: request([q, assistant(search('srvtoolu_1'))]),
    fixed: request([q, assistant(search('srvtoolu_1'))], { tools: [WEB_SEARCH] }),
    at: 'messages.1.content.0',
    text: '`web_search` tool use with id `srvtoolu_1` was found without a corresponding `web_search_tool_result` block but no `web_search` tool was provided',
  },
  {
    rule: 'server-tool-result-without-use',
    body: request([q, assistant(found('srvtoolu_1'), text('a')), q]),
    fixed: request([q, assistant(search('srvtoolu_1'), found('srvtoolu_1'), text('a')), q]),
    at: 'messages.1.content.0',
    text:
      'messages.1.content.0: unexpected `tool_use_id` found in `web_search_tool_result` blocks: srvtoolu_1. ' +
      'Each `web_search_tool_result` block must have a corresponding `server_tool_use` block before it.',
  },
  {
    rule: 'invalid-encrypted-content',
    body: request([q, assistant(search('srvtoolu_1'), found('srvtoolu_1', '')), q]),
    fixed: request([q, assistant(search('srvtoolu_1'), found('srvtoolu_1')), q]),
    at: 'messages.1.content.1',
    text: 'messages.1.content.1: Invalid `encrypted_content` in `search_result` block',
  },
  {
    rule: 'container-required',
    body: request(answered([running, use('a', code)], result('a')), runner),
    fixed: request(answered([running, use('a', code)], result('a')), { ...runner, container: 'container_1' }),
    at: 'container',
    text: '[stand-in] container_id is required to answer a call made from code execution',
  },
  {
    rule: 'programmatic-result-not-text',
    body: request([q, a, ...answered([running, use('a', code)], result('a', { content: [{ type: 'tool_reference', tool_name: 'look' }] }))], {
      tools: [...runner.tools, { name: 'look', input_schema: { type: 'object' } }],
      container: 'container_1',
    }),
    fixed: request(answered([running, use('a', code)], result('a', { content: [text('seen')] })), {
      ...runner,
      container: 'container_1',
    }),
    at: 'messages.4.content.0',
    text: '[stand-in] messages.4.content.0: only `tool_result` blocks of text may answer a call made from code execution',
  },
];
