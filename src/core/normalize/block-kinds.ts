/**
 * The content blocks of the model API: in whose messages each may stand, and the keys it may have (source: Messages API reference, whose request schema
 * takes no others). A new kind of block is a new line here.
 */
export interface BlockKind {
  readonly in: 'user' | 'assistant' | 'either';
  readonly keys: ReadonlySet<string>;
}

const kind = (where: BlockKind['in'], ...keys: string[]): BlockKind => ({ in: where, keys: new Set(['type', ...keys]) });

const serverResult = (...keys: string[]): BlockKind => kind('assistant', 'tool_use_id', 'content', ...keys);

const KINDS: ReadonlyMap<string, BlockKind> = new Map([
  ['text', kind('either', 'text', 'citations')],
  ['image', kind('user', 'source', 'transformations')],
  ['document', kind('user', 'source', 'title', 'context', 'citations')],
  ['search_result', kind('user', 'source', 'title', 'content', 'citations')],
  ['container_upload', kind('user', 'file_id')],
  ['thinking', kind('assistant', 'thinking', 'signature')],
  ['redacted_thinking', kind('assistant', 'data')],
  ['tool_use', kind('assistant', 'id', 'name', 'input', 'caller')],
  ['tool_result', kind('user', 'tool_use_id', 'content', 'is_error')],
  ['server_tool_use', kind('assistant', 'id', 'name', 'input', 'caller')],
  ['web_search_tool_result', serverResult('caller')],
  ['web_fetch_tool_result', serverResult('caller')],
  ['code_execution_tool_result', serverResult()],
  ['bash_code_execution_tool_result', serverResult()],
  ['text_editor_code_execution_tool_result', serverResult()],
  ['tool_search_tool_result', serverResult()],
  ['advisor_tool_result', serverResult()],
]);

export const blockKind = (type: string): BlockKind | undefined => KINDS.get(type);

/** What may stand in a tool's result (source: Handle tool calls). */
const IN_RESULTS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['text', new Set(['type', 'text', 'citations'])],
  ['image', new Set(['type', 'source', 'transformations'])],
  ['search_result', new Set(['type', 'source', 'title', 'content', 'citations'])],
  ['document', new Set(['type', 'source', 'title', 'context', 'citations'])],
  ['tool_reference', new Set(['type', 'tool_name'])],
  ['browser_state', new Set(['type', 'tabs', 'state_changes'])],
]);

export const keysInResult = (type: string): ReadonlySet<string> | undefined => IN_RESULTS.get(type);

/** Tools that run on the API's side (source: Server tools). */
export const SERVER_TOOLS: ReadonlySet<string> = new Set([
  'web_search',
  'web_fetch',
  'code_execution',
  'bash_code_execution',
  'text_editor_code_execution',
  'tool_search_tool_regex',
  'tool_search_tool_bm25',
  'advisor',
]);

/** Whether a block is the result of a server tool. */
export const isServerResult = (type: string): boolean => type !== 'tool_result' && type.endsWith('_tool_result');
