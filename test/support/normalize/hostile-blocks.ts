import fc, { type Arbitrary } from 'fast-check';
import { image, PIXEL } from './build.js';

/** Blocks of every type with valid content, and mutations of them: members removed, added, and replaced by values of any type, at any depth. */

const citation = {
  web: { type: 'web_search_result_location', cited_text: 'c', encrypted_index: 'e', title: 't', url: 'https://example.com' },
  char: { type: 'char_location', cited_text: 'c', document_index: 0, document_title: 't', start_char_index: 0, end_char_index: 1, file_id: 'f' },
  search: { type: 'search_result_location', cited_text: 'c', search_result_index: 0, source: 's', title: 't', start_block_index: 0, end_block_index: 1 },
};
const cited = { type: 'text', text: 'cited', citations: [citation.web, citation.char, citation.search] };
const searchResult = { type: 'search_result', source: 's', title: 't', content: [{ type: 'text', text: 'found' }], citations: { enabled: true } };
const plainDocument = {
  type: 'document',
  source: { type: 'text', media_type: 'text/plain', data: 'd' },
  title: 't',
  context: 'c',
  citations: { enabled: true },
};
const contentDocument = { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'd' }] }, citations: { enabled: false } };
const caller = { type: 'code_execution_20250825', tool_id: 'srvtoolu_1' };
const browserState = {
  type: 'browser_state',
  tabs: [{ tab_id: '1', title: 't', url: 'u', active: true }],
  state_changes: [{ type: 'tab_opened', tab_id: '1' }],
};

const serverCall = (name: string, id = 'srvtoolu_1') => ({ type: 'server_tool_use', id, name, input: { query: 'q' }, caller });
const serverResult = (tool: string, content: unknown, id = 'srvtoolu_1') => ({ type: `${tool}_tool_result`, tool_use_id: id, content });

/** Valid in a user message. */
const USER_BLOCKS: readonly object[] = [
  cited,
  searchResult,
  plainDocument,
  contentDocument,
  { ...image(), transformations: { oversized_image: 'error' } },
  { type: 'container_upload', file_id: 'f' },
  { type: 'tool_result', tool_use_id: 'a', content: [cited, searchResult, plainDocument, image()], toolset_name: 'browser' },
  { type: 'tool_result', tool_use_id: 'b', content: [{ type: 'tool_reference', tool_name: 'Read' }, browserState, null], is_error: false },
  { type: 'image', source: { type: 'url', url: 'https://example.com/i.png' } },
  { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: PIXEL } },
];

/** Valid in an assistant message, some of them only with a beta header. */
const ASSISTANT_BLOCKS: readonly object[] = [
  cited,
  { type: 'tool_use', id: 'a', name: 'Read', input: { path: '/a' }, caller: { type: 'direct' }, toolset_name: 'browser' },
  { type: 'tool_use', id: 'b', name: 'Read', input: '{"half":"\\ud83d"}', caller },
  { type: 'tool_use', id: 'c', name: `${'x'.repeat(199)}😀`, input: {}, toolset_name: 'browser' },
  serverCall('web_search'),
  serverCall('web_fetch'),
  serverCall('code_execution'),
  serverCall('bash_code_execution'),
  serverCall('tool_search_tool_regex', 'srvtoolu_2'),
  serverCall('advisor', 'srvtoolu_2'),
  serverResult('web_search', [{ type: 'web_search_result', encrypted_content: 'e', title: 't', url: 'u', page_age: null, snippet: 's' }]),
  serverResult('web_search', { type: 'web_search_tool_result_error', error_code: 'unavailable' }),
  serverResult('web_fetch', { type: 'web_fetch_result', url: 'u', retrieved_at: 'r', content: plainDocument }),
  serverResult('code_execution', { type: 'code_execution_result', stdout: 'o', stderr: '', return_code: 0, content: [] }),
  serverResult('bash_code_execution', { type: 'bash_code_execution_result', stdout: 'o', stderr: '', return_code: 0, content: [] }),
  serverResult('text_editor_code_execution', { type: 'text_editor_code_execution_view_result', content: 'c', file_type: 'text' }),
  serverResult('tool_search', { type: 'tool_search_tool_search_result', tool_references: [{ type: 'tool_reference', tool_name: 'Read' }] }, 'srvtoolu_2'),
  serverResult('advisor', { type: 'advisor_result', text: 'advice' }, 'srvtoolu_2'),
  { type: 'mcp_tool_use', id: 'mcptoolu_1', name: 'look', server_name: 'maps', input: {} },
  { type: 'mcp_tool_result', tool_use_id: 'mcptoolu_1', is_error: false, content: [{ type: 'text', text: 'there' }] },
  { type: 'compaction', content: 'What happened so far.' },
  { type: 'connector_text', connector_text: 'and so', signature: 'sig' },
  { type: 'fallback', from: { model: 'a' }, to: { model: 'b' } },
  { type: 'thinking', thinking: 'hm', signature: 'sig' },
];

const aValue = fc.constantFrom<unknown>(
  undefined,
  null,
  '',
  ' ',
  'unheard_of',
  '\ud83d',
  `${'x'.repeat(254)}😀${'y'.repeat(400)}`,
  7,
  -1,
  true,
  [],
  [null],
  ['text'],
  {},
  { type: 'unheard_of' },
  { type: 'text', text: '' },
  { type: 'ephemeral' },
  { enabled: true },
  [cited, searchResult, plainDocument, { type: 'tool_use', id: 'n', name: 'n', input: {} }],
);

/** `steps`: which member to descend into at each level; the last one is replaced, or removed where `value` is undefined. */
interface Mutation {
  readonly steps: readonly number[];
  readonly added: boolean;
  readonly value: unknown;
}

const NAMES = ['cache_control', 'citations', 'caller', 'title', 'index', 'content', 'error_code'];

const aMutation: Arbitrary<Mutation> = fc.record({
  steps: fc.array(fc.nat(10), { minLength: 1, maxLength: 5 }),
  added: fc.boolean(),
  value: aValue,
});

function mutated(root: object, { steps, added, value }: Mutation): object {
  const copy = structuredClone(root) as Record<string, unknown>;
  let at = copy;
  steps.forEach((step, depth) => {
    const keys = Object.keys(at);
    const key = keys[step % Math.max(keys.length, 1)] ?? 'type';
    const inner = at[key];
    if (depth < steps.length - 1 && typeof inner === 'object' && inner !== null) at = inner as Record<string, unknown>;
    else if (depth === steps.length - 1) {
      const name = added && !Array.isArray(at) ? (NAMES[step % NAMES.length] as string) : key;
      if (value === undefined) delete at[name];
      else at[name] = value;
    }
  });
  // The door takes no block without a type.
  return typeof copy['type'] === 'string' ? copy : { ...copy, type: (root as { type: string }).type };
}

const mutations = (blocks: readonly object[]): Arbitrary<object> =>
  fc.tuple(fc.constantFrom(...blocks), fc.array(aMutation, { maxLength: 3 })).map(([block, changes]) => changes.reduce(mutated, block));

export const aUserBlock = mutations(USER_BLOCKS);
export const anAssistantBlock = mutations(ASSISTANT_BLOCKS);

/** A server tool call with its result, of which one may be damaged. */
export const aServerPair: Arbitrary<readonly object[]> = fc
  .constantFrom(...ASSISTANT_BLOCKS.filter((block) => 'tool_use_id' in block && !('is_error' in block)))
  .chain((block) => {
    const { type, tool_use_id } = block as { readonly type: string; readonly tool_use_id: string };
    const tool = type.replace('_tool_result', '');
    return fc.tuple(mutations([serverCall(tool === 'tool_search' ? 'tool_search_tool_regex' : tool, tool_use_id)]), mutations([block]));
  });

/** Attachments as clients and session files store them, mutated too. */
export const aMutatedAttachment = mutations([
  { type: 'queued_command', prompt: [{ type: 'text', text: 'and' }, image()] },
  { type: 'queued_command', prompt: [plainDocument, searchResult] },
  { type: 'hook_additional_context', hookName: 'Stop', content: ['noted'] },
  { type: 'hook_success', hookEvent: 'SessionStart', hookName: 'SessionStart', content: 'ready' },
  { type: 'file', filename: 'a.ts', content: { type: 'text', file: { content: 'c' } } },
  { type: 'todo', todos: [{ content: 'do', status: 'pending' }] },
  { type: 'diagnostics', files: [{ path: 'a', diagnostics: [{ message: 'm', range: { start: { line: 1 } } }] }] },
  { type: 'unheard_of', any: { thing: ['x'] } },
]);
