/** In whose messages each content block of the model API may be (source: Messages API reference). A new type of block is a new entry here. */
const ROLES = {
  text: 'either',
  image: 'user',
  document: 'user',
  search_result: 'user',
  container_upload: 'user',
  thinking: 'assistant',
  redacted_thinking: 'assistant',
  tool_use: 'assistant',
  tool_result: 'user',
  server_tool_use: 'assistant',
  web_search_tool_result: 'assistant',
  web_fetch_tool_result: 'assistant',
  code_execution_tool_result: 'assistant',
  bash_code_execution_tool_result: 'assistant',
  text_editor_code_execution_tool_result: 'assistant',
  tool_search_tool_result: 'assistant',
  advisor_tool_result: 'assistant',
} as const;

export type BlockRole = 'user' | 'assistant' | 'either';

/** Undefined for types that the model API does not have. */
export const blockRole = (type: string): BlockRole | undefined => (Object.hasOwn(ROLES, type) ? ROLES[type as keyof typeof ROLES] : undefined);
