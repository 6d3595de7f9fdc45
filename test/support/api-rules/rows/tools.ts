import { answered, marked, older, request, result, text, tool, use, user, type Row } from '../row.js';

const q = user(text('q'));
const reference = (name: string) => result('a', { content: [{ type: 'tool_reference', tool_name: name }] });
const strict = (schema: object) => ({
  name: 'look',
  strict: true,
  input_schema: { type: 'object', additionalProperties: false, ...schema },
});
const deferred = { defer_loading: true };

export const TOOLS: readonly Row[] = [
  {
    rule: 'duplicate-tool-name',
    body: request([q], { tools: [tool('look'), tool('look')] }),
    fixed: request([q], { tools: [tool('look'), tool('listen')] }),
    at: 'tools.1.name',
    text: 'tools: Tool names must be unique.',
  },
  {
    rule: 'tool-search-not-supported',
    body: request([q], { model: 'claude-haiku-4-5', tools: [tool('look'), tool('listen', deferred)] }),
    fixed: request([q], { model: 'claude-sonnet-4-5', tools: [tool('look'), tool('listen', deferred)] }),
    at: 'tools.1.defer_loading',
    text: '[stand-in] tools.1: defer_loading is not supported on this model',
  },
  {
    rule: 'tool-search-not-supported',
    when: 'BM25 tool search on Bedrock',
    provider: 'bedrock',
    body: request([q], { tools: [{ type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' }] }),
    fixed: request([q], { tools: [{ type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' }] }),
    at: 'tools.0',
    text: 'BM25 tool search is not supported on Bedrock. Use tool_search_tool_regex instead.',
  },
  {
    rule: 'input-schema-union',
    body: request([q], { tools: [{ name: 'look', input_schema: { type: 'object', anyOf: [] } }] }),
    fixed: request([q], {
      tools: [{ name: 'look', input_schema: { type: 'object', properties: { a: { anyOf: [] } } } }],
    }),
    at: 'tools.0.input_schema.anyOf',
    text: '[stand-in] tools.0.custom.input_schema: `anyOf` is not supported at the top level',
  },
  {
    rule: 'strict-tool-open-object',
    body: request([q], { tools: [strict({ properties: { a: { type: 'object' } } })] }),
    fixed: request([q], { tools: [strict({ properties: { a: { type: 'object', additionalProperties: false } } })] }),
    at: 'tools.0.input_schema',
    text: "tools.0.custom: For 'object' type, 'additionalProperties' must be explicitly set to false",
  },
  {
    rule: 'all-tools-deferred',
    body: request([q], { tools: [tool('look', deferred)] }),
    fixed: request([q], { tools: [tool('look', deferred), tool('listen')] }),
    at: 'tools',
    text: 'At least one tool must have defer_loading=false. All tools cannot be deferred.',
  },
  {
    rule: 'deferred-tool-cached',
    body: request([q], { tools: [tool('listen'), tool('look', { ...deferred, ...marked() })] }),
    fixed: request([q], { tools: [tool('listen', marked()), tool('look', deferred)] }),
    at: 'tools.1.cache_control',
    text: 'Tools with defer_loading cannot use prompt caching',
  },
  {
    rule: 'tool-choice-without-tools',
    body: request([q], { tool_choice: { type: 'auto' } }),
    fixed: request([q]),
    at: 'tool_choice',
    text: '[stand-in] tool_choice may only be specified while providing tools',
  },
  {
    rule: 'tool-choice-unknown-tool',
    body: older([q], { tools: [tool('look')], tool_choice: { type: 'tool', name: 'listen' } }),
    fixed: older([q], { tools: [tool('look')], tool_choice: { type: 'tool', name: 'look' } }),
    at: 'tool_choice.name',
    text: "Tool 'listen' not found in provided tools",
  },
  {
    rule: 'tool-search-not-supported',
    when: 'a result has a tool reference',
    body: request(answered([use('a')], reference('look')), { model: 'claude-haiku-4-5', tools: [tool('look')] }),
    fixed: request(answered([use('a')], reference('look')), { model: 'claude-sonnet-4-5', tools: [tool('look')] }),
    at: 'messages.2.content.0.content.0',
    text: '[stand-in] messages.2.content.0.content.0: tool_reference is not supported on this model',
  },
  {
    rule: 'unknown-tool-reference',
    body: request(answered([use('a')], reference('gone')), { tools: [tool('look')] }),
    fixed: request(answered([use('a')], reference('look')), { tools: [tool('look')] }),
    at: 'messages.2.content.0.content.0',
    text: "Tool reference 'gone' not found in available tools",
  },
];
