import { expect } from '@jest/globals';
import { answered, marked, older, request, result, text, tool, use, user, type Row } from '../row.js';

const q = user(text('q'));
const reference = (name: string) => result('a', { content: [{ type: 'tool_reference', tool_name: name }] });
const strict = (schema: object) => ({
  name: 'look',
  strict: true,
  input_schema: { type: 'object', additionalProperties: false, ...schema },
});
const deferred = { defer_loading: true };

const computer = (type: string) => ({ type, name: 'computer', display_height_px: 768, display_width_px: 1024 });
/** Tools that came with a version of computer use, and its date. */
const DATED = [
  [computer('computer_20241022'), '2024-10-22'],
  [{ type: 'bash_20241022', name: 'bash' }, '2024-10-22'],
  [{ type: 'text_editor_20241022', name: 'str_replace_editor' }, '2024-10-22'],
  [computer('computer_20250124'), '2025-01-24'],
  [computer('computer_20251124'), '2025-11-24'],
] as const;

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
  ...DATED.map(([dated, date]): Row => ({
    rule: 'unknown-type',
    when: `${dated.type} comes without its beta header`,
    body: request([q], { tools: [dated] }),
    fixed: request([q], { tools: [dated] }),
    fixedSettings: { betas: [`computer-use-${date}`] },
    at: 'tools.0',
    text: expect.stringContaining(`tools.0: Input tag '${dated.type}' found`) as unknown as string,
  })),
  {
    rule: 'not-one-of',
    when: 'an older bash tool has a name of its own',
    body: request([q], { tools: [{ type: 'bash_20250124', name: 'shell' }] }),
    fixed: request([q], { tools: [{ type: 'bash_20250124', name: 'bash', input_examples: [{ command: 'ls' }] }] }),
    at: 'tools.0.name',
    text: "tools.0.bash_20250124.name: Input should be 'bash'",
  },
  {
    rule: 'not-one-of',
    when: 'an older editor has the name of the newer ones',
    body: request([q], { tools: [{ type: 'text_editor_20250124', name: 'str_replace_based_edit_tool' }] }),
    fixed: request([q], { tools: [{ type: 'text_editor_20250124', name: 'str_replace_editor' }] }),
    at: 'tools.0.name',
    text: "tools.0.text_editor_20250124.name: Input should be 'str_replace_editor'",
  },
  {
    rule: 'extra-input',
    when: 'an older editor is given a maximum of characters',
    body: request([q], { tools: [{ type: 'text_editor_20250429', name: 'str_replace_based_edit_tool', max_characters: 100 }] }),
    fixed: request([q], { tools: [{ type: 'text_editor_20250728', name: 'str_replace_based_edit_tool', max_characters: 100 }] }),
    at: 'tools.0.max_characters',
    text: 'tools.0.text_editor_20250429.max_characters: Extra inputs are not permitted',
  },
];
