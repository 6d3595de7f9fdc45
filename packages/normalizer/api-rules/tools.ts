import { standIn, type Report } from './problem.js';
import { schemaFault } from './json-schema.js';
import { blocksOf, isObject, listOf, textOf, type JsonObject, type ParsedRequest, type Stage } from './parsed-request.js';

/** Tool definitions, `tool_choice`, and references to tools by name. */
export const tools: Stage = (request, report) => {
  definitions(request, report);
  deferral(request, report);
  choice(request, report);
  references(request, report);
  toolChanges(request, report);
  mcpToolsets(request, report);
};

const toolsOf = (body: JsonObject): readonly (readonly [at: string, tool: JsonObject])[] =>
  listOf(body['tools']).flatMap((tool, index) => (isObject(tool) ? [[`tools.${index}`, tool] as const] : []));

/** Docs: Define tools; Strict tool use; Tool search tool. */
function definitions({ body, profile }: ParsedRequest, report: Report): void {
  const names = new Set<string>();
  for (const [at, tool] of toolsOf(body)) {
    const name = textOf(tool['name']);
    if (name !== '' && names.has(name)) report({ rule: 'duplicate-tool-name', at: `${at}.name`, text: 'tools: Tool names must be unique.' });
    names.add(name);
    if (profile.provider === 'bedrock' && textOf(tool['type']).startsWith('tool_search_tool_bm25')) {
      const text = 'BM25 tool search is not supported on Bedrock. Use tool_search_tool_regex instead.';
      report({ rule: 'tool-search-not-supported', at, text });
    }
    const schema = tool['input_schema'];
    if (!isObject(schema)) continue;
    const union = ['anyOf', 'oneOf', 'allOf'].find((key) => schema[key] !== undefined);
    if (union) {
      const text = standIn(`${at}.custom.input_schema: \`${union}\` is not supported at the top level`);
      report({ rule: 'input-schema-union', at: `${at}.input_schema.${union}`, text });
    }
    const fault = schemaFault(schema);
    if (fault !== null) {
      const text = `${at}.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12).`;
      report({ rule: 'invalid-input-schema', at: `${at}.input_schema${fault}`, text });
    }
    if (tool['strict'] === true && hasOpenObject(schema)) {
      const text = `${at}.custom: For 'object' type, 'additionalProperties' must be explicitly set to false`;
      report({ rule: 'strict-tool-open-object', at: `${at}.input_schema`, text });
    }
  }
}

/** Whether a JSON schema contains an object without `additionalProperties: false`, at any depth. Iterative, so deep schemas cannot overflow the stack. */
function hasOpenObject(schema: JsonObject): boolean {
  const waiting: unknown[] = [schema];
  while (waiting.length > 0) {
    const part = waiting.pop();
    if (!isObject(part)) continue;
    if (part['type'] === 'object' && part['additionalProperties'] !== false) return true;
    for (const key of ['properties', '$defs', 'definitions']) for (const inner of Object.values(part[key] ?? {})) waiting.push(inner);
    for (const key of ['anyOf', 'oneOf', 'allOf', 'prefixItems']) for (const inner of listOf(part[key])) waiting.push(inner);
    waiting.push(part['items']);
  }
  return false;
}

/** Docs: Tool search tool, "Error handling". */
function deferral({ body, profile }: ParsedRequest, report: Report): void {
  const defined = toolsOf(body);
  const deferred = defined.filter(([, tool]) => tool['defer_loading'] === true);
  if (deferred.length > 0 && deferred.length === defined.length) {
    const text = 'At least one tool must have defer_loading=false. All tools cannot be deferred.';
    report({ rule: 'all-tools-deferred', at: 'tools', text });
  }
  for (const [at, tool] of deferred) {
    if (!profile.toolSearch) {
      report({
        rule: 'tool-search-not-supported',
        at: `${at}.defer_loading`,
        text: standIn(`${at}: defer_loading is not supported on this model`),
      });
    }
    if (isObject(tool['cache_control'])) {
      report({
        rule: 'deferred-tool-cached',
        at: `${at}.cache_control`,
        text: 'Tools with defer_loading cannot use prompt caching',
      });
    }
  }
}

/** Docs: Define tools, "Controlling Claude's output". */
function choice({ body }: ParsedRequest, report: Report): void {
  const wanted = body['tool_choice'];
  if (!isObject(wanted)) return;
  const defined = toolsOf(body);
  if (defined.length === 0) {
    report({
      rule: 'tool-choice-without-tools',
      at: 'tool_choice',
      text: standIn('tool_choice may only be specified while providing tools'),
    });
    return;
  }
  const name = textOf(wanted['name']);
  if (wanted['type'] !== 'tool' || name === '' || defined.some(([, tool]) => tool['name'] === name)) return;
  report({
    rule: 'tool-choice-unknown-tool',
    at: 'tool_choice.name',
    text: `Tool '${name}' not found in provided tools`,
  });
}

/** Every `tool_reference` in the history must name a tool of this request (docs: Tool search tool). */
function references({ body, messages, profile }: ParsedRequest, report: Report): void {
  const names = new Set(toolsOf(body).map(([, tool]) => tool['name']));
  const check = (at: string, reference: JsonObject): void => {
    const name = textOf(reference['tool_name']);
    if (!profile.toolSearch) {
      report({
        rule: 'tool-search-not-supported',
        at,
        text: standIn(`${at}: tool_reference is not supported on this model`),
      });
    } else if (name !== '' && !names.has(name)) {
      report({ rule: 'unknown-tool-reference', at, text: `Tool reference '${name}' not found in available tools` });
    }
  };
  for (const { blocks } of messages) {
    for (const { at, type, value } of blocks) {
      if (type === 'tool_result') {
        for (const inner of blocksOf(value['content'], `${at}.content`)) if (inner.type === 'tool_reference') check(inner.at, inner.value);
      } else if (type === 'tool_search_tool_result' && isObject(value['content'])) {
        const found = blocksOf(value['content']['tool_references'], `${at}.content.tool_references`);
        for (const inner of found) check(inner.at, inner.value);
      }
    }
  }
}

/** Blocks that add or remove a tool must name a tool or an MCP server of this request (docs: Mid-conversation system messages). */
function toolChanges({ body, messages }: ParsedRequest, report: Report): void {
  const names = new Set(toolsOf(body).map(([, tool]) => tool['name']));
  const servers = new Set(toolsOf(body).map(([, tool]) => tool['mcp_server_name']));
  for (const { role, blocks } of messages) {
    if (role !== 'system') continue;
    for (const { at, type, value } of blocks) {
      const tool = value['tool'];
      if ((type !== 'tool_addition' && type !== 'tool_removal') || !isObject(tool)) continue;
      const isReference = tool['type'] === 'tool_reference';
      const name = textOf(tool[isReference ? 'name' : 'server_name']);
      if (name === '' || (isReference ? names : servers).has(name)) continue;
      report({ rule: 'unknown-tool-change', at, text: `tool_addition/tool_removal references unknown tool '${name}'` });
    }
  }
}

const MAX_MCP_SERVERS = 20;

/** Each server of `mcp_servers` has exactly one toolset in `tools`, and each toolset a server (docs: MCP connector). */
function mcpToolsets({ body }: ParsedRequest, report: Report): void {
  const servers = listOf(body['mcp_servers']).filter(isObject);
  if (servers.length > MAX_MCP_SERVERS) {
    const text = standIn(`mcp_servers: at most ${MAX_MCP_SERVERS} servers are allowed, found ${servers.length}`);
    report({ rule: 'too-many-mcp-servers', at: 'mcp_servers', text });
  }
  const toolsets = toolsOf(body).filter(([, tool]) => tool['type'] === 'mcp_toolset');
  servers.forEach(({ name }, index) => {
    const count = toolsets.filter(([, tool]) => tool['mcp_server_name'] === name).length;
    const at = `mcp_servers.${index}`;
    if (count !== 1) report({ rule: 'mcp-server-without-toolset', at, text: standIn(`${at}: must be referenced by exactly one mcp_toolset, found ${count}`) });
  });
  for (const [at, tool] of toolsets) {
    if (servers.some(({ name }) => name === tool['mcp_server_name'])) continue;
    const text = standIn(`${at}.mcp_toolset.mcp_server_name: no server of mcp_servers has the name '${textOf(tool['mcp_server_name'])}'`);
    report({ rule: 'mcp-toolset-without-server', at, text });
  }
}
