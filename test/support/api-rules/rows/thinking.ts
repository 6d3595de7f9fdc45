import type { CheckSettings } from '../../../../packages/normalizer/api-rules/index.js';
import { answered, assistant, older, request, result, search, text, thought, use, user, WEB_SEARCH, type Row } from '../row.js';

const q = user(text('q'));
const manual = { thinking: { type: 'enabled', budget_tokens: 1024 }, max_tokens: 2048 };
const bound: CheckSettings = { signatureIsValid: () => 'other-conversation' };
const dropping = { thinking: { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } } };
const uncertain = { disputedRules: 'reject' } as const;

export const THINKING: readonly Row[] = [
  {
    rule: 'invalid-signature',
    body: request([q, assistant(thought({ thinking: 'Edited.' }), text('a')), q]),
    settings: { signatureIsValid: (block) => block['thinking'] === 'Hm.' },
    fixed: request([q, assistant(thought(), text('a')), q]),
    fixedSettings: { signatureIsValid: (block) => block['thinking'] === 'Hm.' },
    at: 'messages.1.content.0',
    text: 'messages.1.content.0: Invalid `signature` in `thinking` block',
  },
  {
    rule: 'invalid-signature',
    when: 'of redacted_thinking',
    body: request([q, assistant({ type: 'redacted_thinking', data: '' }, text('a')), q]),
    fixed: request([q, assistant({ type: 'redacted_thinking', data: 'blob' }, text('a')), q]),
    at: 'messages.1.content.0',
    text: 'messages.1.content.0: Invalid `data` in `redacted_thinking` block',
  },
  {
    rule: 'empty-thinking',
    body: request([q, assistant(thought({ thinking: '', signature: '' }), text('a')), q]),
    fixed: request([q, assistant(thought({ thinking: '' }), text('a')), q]),
    at: 'messages.1.content.0',
    text: 'messages.1.content.0.thinking: each thinking block must contain thinking',
  },
  {
    rule: 'thinking-prefix-mismatch',
    body: request([q, assistant(thought(), text('a')), q]),
    settings: bound,
    fixed: request([q, assistant(thought(), text('a')), q], dropping),
    fixedSettings: { ...bound, betas: ['thinking-binding-controls-2026-08-01'] },
    at: 'messages.1.content.0',
    text:
      'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, ' +
      'or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block". ' +
      'That setting requires the `thinking-binding-controls-2026-08-01` value in the `anthropic-beta` header.',
  },
  {
    rule: 'open-turn-without-thinking',
    body: older(answered([use('a')], result('a')), manual),
    fixed: older(answered([thought(), use('a')], result('a')), manual),
    at: 'messages.1.content.0',
    text:
      'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final ' +
      '`assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). ' +
      'We recommend you include thinking blocks from previous turns. To avoid this requirement, disable `thinking`. ' +
      'Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking',
  },
  {
    rule: 'thinking-not-first',
    body: request([q, assistant(text('a'), thought(), text('b')), q]),
    settings: uncertain,
    fixed: request([q, assistant(thought(), text('a'), text('b')), q]),
    fixedSettings: uncertain,
    at: 'messages.1.content.0',
    text:
      'messages.1.content.0: If an assistant message contains any thinking blocks, the first block must be `thinking` or `redacted_thinking`. ' +
      'Found `text`.',
  },
  {
    rule: 'thinking-while-disabled',
    body: older([q, assistant(thought(), text('a')), q], { thinking: { type: 'disabled' } }),
    settings: uncertain,
    fixed: older([q, assistant(thought(), text('a')), q], manual),
    fixedSettings: uncertain,
    at: 'messages.1.content.0',
    text:
      'messages.1.content.0: When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`. ' +
      'To use thinking blocks, enable `thinking` in your request.',
  },
  {
    rule: 'ends-in-thinking',
    body: older([q, assistant(thought())]),
    fixed: older([q, assistant(thought()), q]),
    at: 'messages.1.content.0',
    text: 'messages.1: The final block in an assistant message cannot be `thinking`.',
  },
  {
    rule: 'prefill-not-supported',
    body: request([q, assistant(text('The'))]),
    fixed: request([q, assistant(search('srvtoolu_1'))], { tools: [WEB_SEARCH] }),
    at: 'messages.1',
    text: 'This model does not support assistant message prefill. The conversation must end with a user message.',
  },
  {
    rule: 'prefill-with-thinking',
    body: older([q, assistant(text('The'))], manual),
    fixed: older([q, assistant(text('The'))]),
    at: 'messages.1',
    text: '[stand-in] messages.1: a final assistant message cannot be continued when thinking is enabled',
  },
  {
    rule: 'prefill-trailing-whitespace',
    body: older([q, assistant(text('The '))]),
    fixed: older([q, assistant(text('The'))]),
    at: 'messages.1.content.0',
    text: 'messages: final assistant content cannot end with trailing whitespace',
  },
];
