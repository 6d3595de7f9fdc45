import { standIn, type Report } from './problem.js';
import { isObject, listOf, textOf, type JsonObject, type ParsedBlock, type ParsedRequest, type Stage, type Turn } from './parsed-request.js';

/**
 * Server tool calls and their results, both in the assistant turn
 * (docs: Server tools; Handling stop reasons; Web search tool; Programmatic tool calling).
 */
export const serverTools: Stage = (request, report) => {
  pairs(request, report);
  searchResults(request, report);
  programmaticCalls(request, report);
};

/** Whether a block type is a server tool result. */
export const isServerResult = (type: string): boolean => type !== 'tool_result' && type.endsWith('_tool_result');

/** Whether a block type is a call that the API executes: a server tool, or a tool of an MCP connector. */
export const isServerCall = (type: string): boolean => type === 'server_tool_use' || type === 'mcp_tool_use';

/** The block type of a server tool's result. */
export const resultType = (tool: string): string => (tool.startsWith('tool_search_tool_') ? 'tool_search_tool_result' : `${tool}_tool_result`);

const resultOf = ({ type, value }: Pick<ParsedBlock, 'type' | 'value'>): string =>
  type === 'mcp_tool_use' ? 'mcp_tool_result' : resultType(textOf(value['name']));

/** A call stays open across user turns that hold only client tool results: the API continues the same turn after them. */
function pairs(request: ParsedRequest, report: Report): void {
  let open = new Map<string, ParsedBlock>();
  const seen = new Map<string, string>();
  for (const turn of request.turns) {
    if (turn.role === 'assistant') {
      for (const block of turn.blocks) {
        const id = textOf(block.value[isServerCall(block.type) ? 'id' : 'tool_use_id']);
        if (isServerCall(block.type)) {
          open.set(id, block);
          seen.set(id, resultOf(block));
        } else if (isServerResult(block.type)) {
          if (seen.get(id) !== block.type) resultWithoutCall(block, id, report);
          else if (!open.has(id)) secondResult(block, id, report);
          open.delete(id);
        }
      }
    } else if (!onlyResults(turn)) {
      for (const call of open.values()) callWithoutResult(call, '', report);
      open = new Map();
      seen.clear();
    }
  }
  for (const call of open.values()) {
    if (call.type === 'mcp_tool_use') continue;
    const tool = toolOf(textOf(call.value['name']));
    if (!request.tools.some((defined) => defined['name'] === tool)) callWithoutResult(call, ` but no \`${tool}\` tool was provided`, report);
  }
}

const onlyResults = (turn: Turn): boolean => turn.role === 'user' && turn.blocks.every(({ type }) => type === 'tool_result');

/** `bash_code_execution` and `text_editor_code_execution` belong to the `code_execution` tool. */
const toolOf = (name: string): string => (name.endsWith('_code_execution') ? 'code_execution' : name);

function callWithoutResult({ at, type, value }: ParsedBlock, ending: string, report: Report): void {
  const name = textOf(value['name']);
  const found = `\`${name}\` tool use with id \`${textOf(value['id'])}\` was found without a corresponding \`${resultOf({ type, value })}\` block`;
  report({
    rule: ending === '' ? 'server-tool-use-without-result' : 'server-tool-not-provided',
    at,
    text: `${found}${ending}`,
  });
}

function resultWithoutCall({ at, type }: ParsedBlock, id: string, report: Report): void {
  const found = `unexpected \`tool_use_id\` found in \`${type}\` blocks: ${id}.`;
  const rule = `Each \`${type}\` block must have a corresponding \`${type === 'mcp_tool_result' ? 'mcp_tool_use' : 'server_tool_use'}\` block before it.`;
  report({ rule: 'server-tool-result-without-use', at, text: `${at}: ${found} ${rule}` });
}

function secondResult({ at, type }: ParsedBlock, id: string, report: Report): void {
  const text = standIn(`${at}: each server tool use must have a single result. Found multiple \`${type}\` blocks with id: ${id}`);
  report({ rule: 'duplicate-server-tool-result', at, text });
}

/** Only the API can create `encrypted_content`; an empty value cannot be the original. */
function searchResults({ messages }: ParsedRequest, report: Report): void {
  for (const { blocks } of messages) {
    for (const { at, type, value } of blocks) {
      if (type !== 'web_search_tool_result') continue;
      if (!listOf(value['content']).some((hit) => isObject(hit) && hit['encrypted_content'] === '')) continue;
      report({
        rule: 'invalid-encrypted-content',
        at,
        text: `${at}: Invalid \`encrypted_content\` in \`search_result\` block`,
      });
    }
  }
}

/** A pending programmatic call accepts only text tool results (docs: Programmatic tool calling). */
function programmaticCalls({ turns, body }: ParsedRequest, report: Report): void {
  const response = turns.at(-1);
  const calls = turns.at(-2)?.blocks.filter(({ type, value }) => type === 'tool_use' && isProgrammatic(value)) ?? [];
  if (response?.role !== 'user' || calls.length === 0) return;
  const container = body['container'];
  if (!(isObject(container) ? container['id'] : container)) {
    report({
      rule: 'container-required',
      at: 'container',
      text: standIn('container_id is required to answer a call made from code execution'),
    });
  }
  const ids = new Set(calls.map(({ value }) => value['id']));
  for (const { at, type, value } of response.blocks) {
    const isPlain = type === 'tool_result' && (!ids.has(value['tool_use_id']) || isTextOnly(value['content']));
    if (isPlain) continue;
    const text = standIn(`${at}: only \`tool_result\` blocks of text may answer a call made from code execution`);
    report({ rule: 'programmatic-result-not-text', at, text });
  }
}

const isProgrammatic = ({ caller }: JsonObject): boolean => isObject(caller) && textOf(caller['type']).startsWith('code_execution_');

const isTextOnly = (content: unknown): boolean => listOf(content).every((block) => isObject(block) && block['type'] === 'text');
