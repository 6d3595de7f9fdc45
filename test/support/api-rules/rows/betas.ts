import type { CheckSettings } from '../../../../packages/normalizer/api-rules/index.js';
import { assistant, request, text, user, type Row } from '../row.js';

const q = user(text('q'));
const edits = (...edits: readonly unknown[]) => request([q], { context_management: { edits } });
const withBetas = (...betas: readonly string[]): CheckSettings => ({ betas });
const editing = withBetas('context-management-2025-06-27');
const compacting = withBetas('compact-2026-01-12');
const connecting = withBetas('mcp-client-2025-11-20');

const thinkingTurns = (value: number) => ({ type: 'clear_thinking_20251015', keep: { type: 'thinking_turns', value } });
const toolUses = {
  type: 'clear_tool_uses_20250919',
  trigger: { type: 'input_tokens', value: 30_000 },
  keep: { type: 'tool_uses', value: 3 },
  clear_tool_inputs: ['look'],
};
const compact = (value: number) => ({ type: 'compact_20260112', trigger: { type: 'input_tokens', value } });
const summary = request([user(text('q')), assistant({ type: 'compaction', content: 'They talked.' }), q]);

const servers = { mcp_servers: [{ type: 'url', name: 'maps', url: 'https://example.com/mcp' }], tools: [{ type: 'mcp_toolset', mcp_server_name: 'maps' }] };
const use = { type: 'mcp_tool_use', id: 'mcptoolu_1', name: 'route', server_name: 'maps', input: {} };
const found = { type: 'mcp_tool_result', tool_use_id: 'mcptoolu_1', content: [{ type: 'text', text: 'left' }] };

const BLOCKS = [
  'text',
  'image',
  'document',
  'search_result',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'tool_result',
  'server_tool_use',
  'web_search_tool_result',
  'web_fetch_tool_result',
  'code_execution_tool_result',
  'bash_code_execution_tool_result',
  'text_editor_code_execution_tool_result',
  'tool_search_tool_result',
  'container_upload',
];

export const BETAS: readonly Row[] = [
  {
    rule: 'unknown-beta',
    body: request([q]),
    settings: { betas: ['compact-2026-01-12', 'faster-please', 'and-cheaper'], knownBetas: new Set(['compact-2026-01-12']) },
    fixed: request([q]),
    fixedSettings: { betas: ['compact-2026-01-12'], knownBetas: new Set(['compact-2026-01-12']) },
    at: '',
    text:
      'Unexpected value(s) `faster-please`, `and-cheaper` for the `anthropic-beta` header. Please consult our documentation at ' +
      'platform.claude.com/docs or try again without the header.',
  },
  {
    rule: 'extra-input',
    when: 'context_management without its beta header',
    body: edits(thinkingTurns(1), toolUses),
    fixed: edits(thinkingTurns(1), toolUses),
    fixedSettings: editing,
    at: 'context_management',
    text: 'context_management: Extra inputs are not permitted',
  },
  {
    rule: 'unknown-type',
    when: 'a compaction edit with only the context editing header',
    body: edits(compact(50_000)),
    settings: editing,
    fixed: edits(compact(50_000)),
    fixedSettings: compacting,
    at: 'context_management.edits.0',
    text:
      "context_management.edits.0: Input tag 'compact_20260112' found using 'type' does not match any of the expected tags: " +
      "'clear_tool_uses_20250919', 'clear_thinking_20251015'",
  },
  {
    rule: 'out-of-range',
    when: 'a compaction trigger below the minimum',
    body: edits(compact(49_999)),
    settings: compacting,
    fixed: edits(compact(50_000)),
    fixedSettings: compacting,
    at: 'context_management.edits.0.trigger.value',
    text: 'context_management.edits.0.compact_20260112.trigger.input_tokens.value: Input should be greater than or equal to 50000',
  },
  {
    rule: 'context-edit-order',
    body: edits(toolUses, thinkingTurns(1)),
    settings: editing,
    fixed: edits({ type: 'clear_thinking_20251015', keep: 'all' }, toolUses),
    fixedSettings: editing,
    at: 'context_management.edits.1',
    text: '[stand-in] context_management.edits.1: `clear_thinking_20251015` must be the first of the edits',
  },
  {
    rule: 'unknown-type',
    when: 'a compaction block without its beta header',
    body: summary,
    fixed: summary,
    fixedSettings: compacting,
    at: 'messages.1.content.0',
    text: `messages.1.content.0: Input tag 'compaction' found using 'type' does not match any of the expected tags: ${BLOCKS.map((tag) => `'${tag}'`).join(', ')}`,
  },
  {
    rule: 'server-tool-use-without-result',
    when: 'of an MCP connector tool',
    body: request([q, assistant(use), q], servers),
    settings: connecting,
    fixed: request([q, assistant(use, found, text('Go left.')), q], servers),
    fixedSettings: connecting,
    at: 'messages.1.content.0',
    text: '`route` tool use with id `mcptoolu_1` was found without a corresponding `mcp_tool_result` block',
  },
  {
    rule: 'server-tool-result-without-use',
    when: 'of an MCP connector tool',
    body: request([q, assistant(found, text('Go left.')), q], servers),
    settings: connecting,
    fixed: request([q, assistant(use, found, text('Go left.')), q], servers),
    fixedSettings: connecting,
    at: 'messages.1.content.0',
    text:
      'messages.1.content.0: unexpected `tool_use_id` found in `mcp_tool_result` blocks: mcptoolu_1. ' +
      'Each `mcp_tool_result` block must have a corresponding `mcp_tool_use` block before it.',
  },
  {
    rule: 'extra-input',
    when: 'mcp_servers without its beta header',
    body: request([q], { mcp_servers: servers.mcp_servers }),
    fixed: request([q], servers),
    fixedSettings: connecting,
    at: 'mcp_servers',
    text: 'mcp_servers: Extra inputs are not permitted',
  },
];
