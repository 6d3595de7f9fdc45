import type { CheckSettings, Rule } from '../../../../packages/normalizer/api-rules/index.js';
import { expect } from '@jest/globals';
import { answered, assistant, found, image, png, request, result, search, system, text, tool, use, user, WEB_SEARCH, type Row } from '../row.js';

const q = user(text('q'));
const a = assistant(text('a'));
const OPUS = { model: 'claude-opus-5' };

const withBetas = (...betas: readonly string[]): CheckSettings => ({ betas });

/** A request that is accepted with a beta header and rejected without it. */
function gated(when: string, beta: string, body: unknown, [rule, at, message]: readonly [Rule, string, string]): Row {
  return { rule, when: `${when} without its beta header`, body, fixed: body, fixedSettings: withBetas(...beta.split(' ')), at, text: message };
}

const extra = (at: string): readonly [Rule, string, string] => ['extra-input', at, `${at}: Extra inputs are not permitted`];

const server = (name: string): object => ({ type: 'url', name, url: `https://${name}.example` });
const toolset = (name: string): object => ({ type: 'mcp_toolset', mcp_server_name: name });
const mcp = withBetas('mcp-client-2025-11-20');
const servers = Array.from({ length: 21 }, (_, index) => `s${index}`);

const oversized = (width: number, height: number, value: string): object => ({ ...image(png(width, height)), transformations: { oversized_image: value } });
const change = (type: string, name: string): Record<string, unknown> => ({ type, tool: { type: 'tool_reference', name } });
const changes = withBetas('mid-conversation-tool-changes-2026-07-01');
const compacting = withBetas('compact-2026-09-04');
const summary = (content: string | null): object => request([q, assistant({ type: 'compaction', content }, text('a')), q]);
const fallback = { type: 'fallback', from: { model: 'claude-fable-5' }, to: { model: 'claude-opus-5' } };
const systemMessage = (more: object): object => request([q, { role: 'system', ...more }, a, q], OPUS);

/** Tags of a message's blocks without any beta header. */
const TAGS =
  "'text', 'image', 'document', 'search_result', 'thinking', 'redacted_thinking', 'tool_use', 'tool_result', 'server_tool_use', 'web_search_tool_result', " +
  "'web_fetch_tool_result', 'code_execution_tool_result', 'bash_code_execution_tool_result', 'text_editor_code_execution_tool_result', " +
  "'tool_search_tool_result', 'container_upload'";

const unknownTag = (at: string, tag: string, tags = TAGS): readonly [Rule, string, string] => [
  'unknown-type',
  at,
  `${at}: Input tag '${tag}' found using 'type' does not match any of the expected tags: ${tags}`,
];

const webFetch = (url_sources: object): object => ({ type: 'web_fetch_20260318', name: 'web_fetch', url_sources });
const first: CheckSettings = { apiVersion: '2023-06-01' };
const threads = withBetas('message-threads-2026-08-12');
const continued = (more: object = {}): object => ({ thread: { type: 'continue', previous_message_id: 'msg_1' }, ...more });
const compacted = (content: string): object => ({ type: 'compaction', content });
const cited = (citations: readonly object[]): object => text('as it says', { citations });
const aCitation = { type: 'char_location', cited_text: 'c', document_index: 0, document_title: null, start_char_index: 0, end_char_index: 1 };

export const NEW_MEMBERS: readonly Row[] = [
  gated('compaction', 'compact-2026-09-04', request([q], { compaction: { type: 'summarize', instructions: 'Be brief.' } }), extra('compaction')),
  gated(
    'fallback_credit_token',
    'fallback-credit-2026-07-01',
    request([q], { fallback_credit_token: { token: 't', mode: 'best_effort' } }),
    extra('fallback_credit_token'),
  ),
  gated(
    'task_budget',
    'task-budgets-2026-03-13',
    request([q], { output_config: { task_budget: { type: 'tokens', total: 50_000 } } }),
    extra('output_config.task_budget'),
  ),
  gated(
    'a system message that sets only the effort, between two turns',
    'per-turn-control-2026-07-01',
    request([q, a, { role: 'system', content: [], output_config: { effort: 'low' } }, q], OPUS),
    extra('messages.2.output_config'),
  ),
  {
    rule: 'extra-input',
    when: 'no unknown beta header is sent',
    body: request([q], { invented: 1 }),
    fixed: request([q], { invented: 1 }),
    fixedSettings: withBetas('invented-2027-01-01'),
    at: 'invented',
    text: 'invented: Extra inputs are not permitted',
  },
  {
    rule: 'messages-empty',
    when: 'no thread is continued',
    body: request([], { thread: { type: 'create' } }),
    settings: threads,
    fixed: request([], continued() as never),
    fixedSettings: threads,
    at: 'messages',
    text: 'messages: at least one message is required',
  },
  {
    rule: 'tool-result-without-use',
    when: 'no thread is continued',
    body: request([user(result('a'))], { thread: { type: 'create' } }),
    settings: threads,
    fixed: request([user(result('a'))], continued() as never),
    fixedSettings: threads,
    at: 'messages.0.content.0',
    text: expect.stringContaining('unexpected `tool_use_id`') as unknown as string,
  },
  {
    rule: 'thread-continue-with-system',
    body: request([q], continued({ system: 's' }) as never),
    settings: threads,
    fixed: request([q], continued() as never),
    fixedSettings: threads,
    at: 'system',
    text: '[stand-in] system: a request that continues a thread has the system prompt of the thread',
  },
  {
    rule: 'compaction-with-context-management',
    body: request([q], { compaction: { type: 'summarize' }, context_management: { edits: [] } }),
    settings: withBetas('compact-2026-09-04', 'context-management-2025-06-27'),
    fixed: request([q], { compaction: { type: 'summarize' } }),
    fixedSettings: compacting,
    at: 'compaction',
    text: '[stand-in] compaction: cannot be combined with `context_management`',
  },
  {
    rule: 'compaction-block-ambiguous',
    body: request([user(compacted('c'), text('q')), a, user(compacted('d'), text('q'))]),
    settings: compacting,
    fixed: request([user(compacted('c'), text('q')), a, user(compacted('d'), text('q'))]),
    fixedSettings: withBetas('compact-2026-01-12'),
    at: 'messages.2.content.0',
    text: '[stand-in] messages.2.content.0: `messages` may hold one compaction block with content, the one that was returned last',
  },
  {
    rule: 'compaction-block-misplaced',
    body: request([user(text('q'), compacted('c'))]),
    settings: compacting,
    fixed: request([user(compacted('c'), text('q'))]),
    fixedSettings: compacting,
    at: 'messages.0.content.1',
    text: '[stand-in] messages.0.content.1: a compaction block must be the first block of the conversation',
  },
  {
    rule: 'citations-in-user-message',
    body: request([user(cited([aCitation]))]),
    fixed: request([user(cited([]))]),
    at: 'messages.0.content.0',
    text: '[stand-in] messages.0.content.0.text.citations: only assistant messages can have citations',
  },
  {
    rule: 'citations-in-user-message',
    when: 'the version of the API has them in answers only',
    body: request([user(cited([aCitation]))]),
    fixed: request([user(cited([aCitation]))]),
    fixedSettings: first,
    at: 'messages.0.content.0',
    text: '[stand-in] messages.0.content.0.text.citations: only assistant messages can have citations',
  },
  {
    rule: 'extra-input',
    when: 'the version of the API has no sampling parameters',
    body: request([q], { temperature: 1 }),
    fixed: request([q], { temperature: 1 }),
    fixedSettings: first,
    at: 'temperature',
    text: 'temperature: Extra inputs are not permitted',
  },
  {
    rule: 'invalid-input-schema',
    body: request([q], { tools: [{ name: 'look', input_schema: { type: 'object', properties: { a: { type: 'text' } } } }] }),
    fixed: request([q], { tools: [{ name: 'look', input_schema: { type: 'object', properties: { a: { type: 'string' } } } }] }),
    at: 'tools.0.input_schema.properties.a.type',
    text: 'tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12).',
  },
  {
    rule: 'extra-input',
    when: 'a source of URLs has an unknown name',
    body: request([q], { tools: [webFetch({ everything: { type: 'all' } })] }),
    fixed: request([q], {
      tools: [webFetch({ user_input: { type: 'none' }, client_tool_results: { type: 'only', tools: [{ type: 'tool_reference', name: 'look' }] } })],
    }),
    at: 'tools.0.url_sources.everything',
    text: 'tools.0.web_fetch_20260318.url_sources.everything: Extra inputs are not permitted',
  },
  {
    rule: 'extra-input',
    when: 'a toolset has no such member',
    body: request([q], { tools: [{ type: 'browser_toolset_20260801', configs: { fly: {} } }] }),
    fixed: request([q], { tools: [{ type: 'browser_toolset_20260801', configs: { navigate: {} } }] }),
    at: 'tools.0.configs.fly',
    text: 'tools.0.browser_toolset_20260801.configs.fly: Extra inputs are not permitted',
  },
  {
    rule: 'duplicate-server-tool-result',
    body: request([q, assistant(search('srvtoolu_1'), found('srvtoolu_1'), found('srvtoolu_1'), text('a')), q], { tools: [WEB_SEARCH] }),
    fixed: request([q, assistant(search('srvtoolu_1'), found('srvtoolu_1'), text('a')), q], { tools: [WEB_SEARCH] }),
    at: 'messages.1.content.2',
    text: '[stand-in] messages.1.content.2: each server tool use must have a single result. Found multiple `web_search_tool_result` blocks with id: srvtoolu_1',
  },
  gated('fallbacks', 'server-side-fallback-2026-07-01', request([q], { fallbacks: [{ model: 'claude-opus-5', max_tokens: 10 }] }), extra('fallbacks')),
  gated('default fallbacks', 'server-side-fallback-2026-06-01', request([q], { fallbacks: 'default' }), extra('fallbacks')),
  gated('a fallback block', 'server-side-fallback-2026-07-01', request([q, assistant(fallback, text('a')), q]), unknownTag('messages.1.content.0', 'fallback')),
  gated('output_format', 'structured-outputs-2025-11-13', request([q], { output_format: { type: 'json_schema', schema: {} } }), extra('output_format')),
  gated('thread', 'message-threads-2026-08-12', request([q], { thread: { type: 'continue', previous_message_id: 'msg_1' } }), extra('thread')),
  gated(
    'billing_policy',
    'user-profiles-2026-09-04',
    request([q], { billing_policy: { type: 'billing_policy', bill_to: 'user_profile' } }),
    extra('billing_policy'),
  ),
  gated('display updates', 'thinking-display-updates-2026-08-18', request([q], { thinking: { type: 'adaptive', display: 'updates' } }), [
    'not-one-of',
    'thinking.display',
    "thinking.adaptive.display: Input should be 'summarized' or 'omitted'",
  ]),
  gated(
    'clear_at',
    'mid-conversation-system-clear-at-2026-08-21',
    systemMessage({ content: 's', clear_at: 'next_user_message' }),
    extra('messages.1.clear_at'),
  ),
  gated(
    'output_config of a system message',
    'mid-conversation-output-config-2026-07-01',
    systemMessage({ content: 's', output_config: { effort: 'low' } }),
    extra('messages.1.output_config'),
  ),
  gated(
    'mcp_tool_listing',
    'mcp-client-2026-09-15',
    request([q, assistant({ type: 'mcp_tool_listing', mcp_server_name: 's', tools: [{ name: 't', input_schema: {} }] }, text('a')), q]),
    unknownTag('messages.1.content.0', 'mcp_tool_listing'),
  ),
  {
    rule: 'extra-input',
    when: 'tool_changes of a compaction block with an older beta header',
    body: request([user({ type: 'compaction', content: 'c', tool_changes: [change('tool_removal', 'look')] }, text('q'))]),
    settings: withBetas('compact-2026-01-12'),
    fixed: request([user({ type: 'compaction', content: 'c', tool_changes: [change('tool_removal', 'look')] }, text('q'))]),
    fixedSettings: compacting,
    at: 'messages.0.content.0.tool_changes',
    text: 'messages.0.content.0.compaction.tool_changes: Extra inputs are not permitted',
  },
  gated(
    'tool_removal',
    'mid-conversation-tool-changes-2026-07-01',
    request([q, system(change('tool_removal', 'look')), a, q], { ...OPUS, tools: [tool('look')] }),
    unknownTag('messages.1.content.0', 'tool_removal', "'text'"),
  ),
  {
    rule: 'unknown-tool-change',
    body: request([q, system(change('tool_addition', 'listen')), a, q], { ...OPUS, tools: [tool('look')] }),
    settings: changes,
    fixed: request([q, system(change('tool_addition', 'look')), a, q], { ...OPUS, tools: [tool('look')] }),
    fixedSettings: changes,
    at: 'messages.1.content.0',
    text: "tool_addition/tool_removal references unknown tool 'listen'",
  },
  {
    rule: 'system-message-empty',
    body: systemMessage({ output_config: {} }),
    settings: withBetas('mid-conversation-output-config-2026-07-01'),
    fixed: systemMessage({ output_config: { effort: 'low' } }),
    fixedSettings: withBetas('mid-conversation-output-config-2026-07-01'),
    at: 'messages.1',
    text: '[stand-in] messages.1: a system message must have content or output_config',
  },
  {
    rule: 'empty-compaction',
    body: summary(''),
    settings: compacting,
    fixed: summary(null),
    fixedSettings: compacting,
    at: 'messages.1.content.0',
    text: '[stand-in] messages.1.content.0.compaction.content: must be non-empty or null',
  },
  {
    rule: 'empty-text',
    when: 'in a search_result of a tool result',
    body: request(answered([use('a')], result('a', { content: [{ type: 'search_result', source: 's', title: 't', content: [text('')] }] }))),
    fixed: request(answered([use('a')], result('a', { content: [{ type: 'search_result', source: 's', title: 't', content: [text('x')] }] }))),
    at: 'messages.2.content.0.content.0.content.0',
    text: 'messages: text content blocks must be non-empty',
  },
  {
    rule: 'mcp-server-without-toolset',
    body: request([q], { mcp_servers: [server('s')] }),
    settings: mcp,
    fixed: request([q], { mcp_servers: [server('s')], tools: [toolset('s')] }),
    fixedSettings: mcp,
    at: 'mcp_servers.0',
    text: '[stand-in] mcp_servers.0: must be referenced by exactly one mcp_toolset, found 0',
  },
  {
    rule: 'mcp-toolset-without-server',
    body: request([q], { mcp_servers: [server('s')], tools: [toolset('s'), toolset('t')] }),
    settings: mcp,
    fixed: request([q], { mcp_servers: [server('s'), server('t')], tools: [toolset('s'), toolset('t')] }),
    fixedSettings: mcp,
    at: 'tools.1',
    text: "[stand-in] tools.1.mcp_toolset.mcp_server_name: no server of mcp_servers has the name 't'",
  },
  {
    rule: 'too-many-mcp-servers',
    body: request([q], { mcp_servers: servers.map(server), tools: servers.map(toolset) }),
    settings: mcp,
    fixed: request([q], { mcp_servers: servers.slice(1).map(server), tools: servers.slice(1).map(toolset) }),
    fixedSettings: mcp,
    at: 'mcp_servers',
    text: '[stand-in] mcp_servers: at most 20 servers are allowed, found 21',
  },
  {
    rule: 'image-oversized',
    body: request([user(oversized(1_920, 1_080, 'error'))], { model: 'claude-sonnet-4-5' }),
    fixed: request([user(oversized(1_456, 819, 'error'), oversized(1_920, 1_080, 'downsize'))], { model: 'claude-sonnet-4-5' }),
    at: 'messages.0.content.0',
    text:
      'messages.0.content.0: image dimensions 1920x1080 exceed the maximum image size of a model named on this request and would be downsized to ' +
      `1456x819; scale the image to at most 1456x819 or set the image's oversized_image setting to "downsize"`,
  },
  {
    rule: 'toolset-result-content',
    body: request(
      answered(
        [use('a', { toolset_name: 'browser' })],
        result('a', { toolset_name: 'browser', content: [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' } }] }),
      ),
    ),
    fixed: request(answered([use('a', { toolset_name: 'browser' })], result('a', { toolset_name: 'browser', content: [text('x'), image(png(8, 8))] }))),
    at: 'messages.2.content.0.content.0',
    text: '[stand-in] messages.2.content.0.content.0: the result of a toolset call may contain only text, image and browser_state blocks',
  },
  {
    rule: 'extra-input',
    when: 'automatic caching on legacy Bedrock',
    provider: 'bedrock',
    body: request([q], { cache_control: { type: 'ephemeral' } }),
    fixed: request([q]),
    at: 'cache_control',
    text: 'cache_control: Extra inputs are not permitted',
  },
  {
    rule: 'blank-stop-sequence',
    body: request([q], { stop_sequences: ['END', ' '] }),
    fixed: request([q], { stop_sequences: ['END'] }),
    at: 'stop_sequences.1',
    text: 'stop_sequences: each stop sequence must contain non-whitespace',
  },
  {
    rule: 'server-tool-result-without-use',
    when: 'the result of another server tool',
    body: request(
      [
        q,
        assistant(
          search('srvtoolu_1'),
          { type: 'code_execution_tool_result', tool_use_id: 'srvtoolu_1', content: { type: 'code_execution_tool_result_error', error_code: 'unavailable' } },
          text('a'),
        ),
        q,
      ],
      { tools: [WEB_SEARCH] },
    ),
    fixed: request(
      [
        q,
        assistant(
          search('srvtoolu_1'),
          { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: { type: 'web_search_tool_result_error', error_code: 'unavailable' } },
          text('a'),
        ),
        q,
      ],
      { tools: [WEB_SEARCH] },
    ),
    at: 'messages.1.content.1',
    text:
      'messages.1.content.1: unexpected `tool_use_id` found in `code_execution_tool_result` blocks: srvtoolu_1. ' +
      'Each `code_execution_tool_result` block must have a corresponding `server_tool_use` block before it.',
  },
];
