import { answered, assistant, image, png, request, result, system, text, thought, use, user, found, type Row } from '../row.js';

const q = user(text('q'));
const a = assistant(text('a'));
const inSystem = (...content: readonly unknown[]) => request([q], { system: content });
const EMPTY_MESSAGE = 'all messages must have non-empty content except for the optional final assistant message';
const OPUS = { model: 'claude-opus-5' };

const fetched = (document: object): object =>
  request([
    q,
    assistant(
      { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_fetch', input: { url: 'u' } },
      { type: 'web_fetch_tool_result', tool_use_id: 'srvtoolu_1', content: { type: 'web_fetch_result', url: 'u', content: document } },
    ),
    q,
  ]);
const fetchedText = { source: { type: 'text', media_type: 'text/plain', data: 'd' } };

export const CONTENT: readonly Row[] = [
  ...[
    { document: fetchedText, rule: 'field-required' as const, sentence: 'Field required' },
    { document: { ...fetchedText, type: 'image' }, rule: 'not-one-of' as const, sentence: "Input should be 'document'" },
  ].map(({ document, rule, sentence }) => ({
    rule,
    when: 'of a fetched document',
    body: fetched(document),
    fixed: fetched({ ...fetchedText, type: 'document' }),
    at: 'messages.1.content.1.content.content.type',
    text: `messages.1.content.1.web_fetch_tool_result.content.web_fetch_result.content.type: ${sentence}`,
  })),
  {
    rule: 'empty-text',
    body: request(answered([text(''), use('a')], result('a'))),
    fixed: request(answered([use('a')], result('a'))),
    at: 'messages.1.content.0',
    text: 'messages: text content blocks must be non-empty',
  },
  {
    rule: 'empty-text',
    when: 'in a tool result',
    body: request(answered([use('a')], result('a', { content: [text('')] }))),
    fixed: request(answered([use('a')], result('a', { content: '' }))),
    at: 'messages.2.content.0.content.0',
    text: 'messages: text content blocks must be non-empty',
  },
  {
    rule: 'empty-text',
    when: 'in the system prompt',
    body: inSystem(text('')),
    fixed: inSystem(text('s')),
    at: 'system.0',
    text: 'system: text content blocks must be non-empty',
  },
  {
    rule: 'empty-message',
    body: request([q, assistant(), q]),
    fixed: request([q, q]),
    at: 'messages.1',
    text: `messages.1: ${EMPTY_MESSAGE}`,
  },
  {
    rule: 'empty-message',
    when: 'content is an empty string',
    body: request([q, a, { role: 'user', content: '' }]),
    fixed: request([q, a, { role: 'user', content: 'q' }]),
    at: 'messages.2',
    text: `messages.2: ${EMPTY_MESSAGE}`,
  },
  {
    rule: 'empty-error-result',
    body: request(answered([use('a')], result('a', { is_error: true, content: [] }))),
    fixed: request(answered([use('a')], result('a', { is_error: true, content: 'broken' }))),
    at: 'messages.2.content.0',
    text: 'messages.2.content.0.tool_result: content cannot be empty if `is_error` is true',
  },
  {
    rule: 'empty-result-list',
    body: request(answered([use('a')], result('a', { content: [] }))),
    settings: { disputedRules: 'reject' },
    fixed: request(answered([use('a')], { type: 'tool_result', tool_use_id: 'a' })),
    fixedSettings: { disputedRules: 'reject' },
    at: 'messages.2.content.0.content',
    text: '[stand-in] messages.2.content.0.tool_result.content: leave out an empty list',
  },
  {
    rule: 'blank-text',
    body: request([q, assistant(text('\n\n')), q]),
    fixed: request([q, assistant(text('\n\n'), text('a')), q]),
    at: 'messages.1.content.0',
    text: 'messages: text content blocks must contain non-whitespace text',
  },
  {
    rule: 'first-message-not-user',
    body: request([a, q]),
    fixed: request([q, a, q]),
    at: 'messages.0',
    text: 'messages: first message must use the "user" role',
  },
  {
    rule: 'system-message-first',
    body: request([system(text('s')), q], { model: 'claude-haiku-4-5' }),
    fixed: request([q], { model: 'claude-haiku-4-5', system: 's' }),
    at: 'messages.0',
    text: "messages.0: use the top-level 'system' parameter for the initial system prompt",
  },
  {
    rule: 'roles-not-alternating',
    provider: 'bedrock',
    body: request([q, q]),
    fixed: request([user(text('q'), text('q'))]),
    at: 'messages.1',
    text: 'messages: roles must alternate between "user" and "assistant", but found multiple "user" roles in a row',
  },
  {
    rule: 'system-role-not-supported',
    body: request([q, system(text('s'))], { model: 'claude-sonnet-5' }),
    fixed: request([q, system(text('s'))], OPUS),
    at: 'messages.1',
    text: "role 'system' is not supported on this model",
  },
  {
    rule: 'system-role-not-supported',
    when: 'the provider does not support the role',
    provider: 'bedrock',
    body: request([q, system(text('s'))], OPUS),
    fixed: request([q], { ...OPUS, system: 's' }),
    at: 'messages.1',
    text: 'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
  },
  {
    rule: 'system-message-misplaced',
    body: request([q, system(text('s')), q], OPUS),
    fixed: request([q, q, system(text('s')), system(text('t')), a, q], OPUS),
    at: 'messages.1',
    text: '[stand-in] messages.1: a system message must be last or be followed by an assistant turn',
  },
  {
    rule: 'system-message-misplaced',
    when: 'after an assistant turn',
    body: request([q, a, system(text('s'))], OPUS),
    fixed: request([q, a, q, system(text('s'))], OPUS),
    at: 'messages.2',
    text: '[stand-in] messages.2: a system message must follow a user turn, or an assistant turn that ends in a server tool result',
  },
  {
    rule: 'tool-use-in-user-message',
    body: request([user(use('a'))]),
    fixed: request([q]),
    at: 'messages.0.content.0',
    text: 'messages.0: `tool_use` blocks can only be in `assistant` messages',
  },
  {
    rule: 'thinking-in-user-message',
    body: request([user(thought(), text('q'))]),
    fixed: request([q]),
    at: 'messages.0.content.0',
    text: '[stand-in] messages.0: `thinking` blocks can only be in `assistant` messages',
  },
  {
    rule: 'server-tool-in-user-message',
    body: request([user(text('q'), found('srvtoolu_1'))]),
    fixed: request([q]),
    at: 'messages.0.content.1',
    text: '[stand-in] messages.0: `web_search_tool_result` blocks can only be in `assistant` messages',
  },
  {
    rule: 'tool-result-in-assistant-message',
    body: request([q, assistant(use('a'), result('a')), user(result('a'))]),
    fixed: request([q, assistant(use('a')), user(result('a'))]),
    at: 'messages.1.content.1',
    text: 'messages.1: `tool_result` blocks can only be in `user` messages',
  },
  {
    rule: 'media-in-assistant-message',
    body: request([q, assistant(text('a'), image(png(1, 1))), q]),
    fixed: request([q, a, user(image(png(1, 1)))]),
    at: 'messages.1.content.1',
    text: '[stand-in] messages.1: `image` blocks can only be in `user` messages',
  },
  {
    rule: 'error-result-not-text',
    body: request(answered([use('a')], result('a', { is_error: true, content: [text('broken'), image(png(1, 1))] }))),
    fixed: request(answered([use('a')], result('a', { is_error: true, content: [text('broken')] }), image(png(1, 1)))),
    at: 'messages.2.content.0.content.1',
    text: 'messages.2.content.0.tool_result: all content must be type `text` if `is_error` is true',
  },
];
