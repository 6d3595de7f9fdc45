import type { Dialect } from './dialect.js';
import { mcpToolset } from './mcp.js';
import { cacheControl, citationsConfig, variant } from './parts.js';
import { anything, flag, integer, list, nullable, object, oneOf, record, tagged, text, type Shape } from './shape.js';

type Fields = Readonly<Record<string, Shape>>;

/** Tool definitions (docs: Messages API, `tools`; Tool reference). */
export function toolDefinition({ serverTools, advisor, mcp, computerUse }: Dialect): Shape {
  const versions = {
    ...clientTools,
    ...Object.fromEntries(computerUse.flatMap((date) => Object.entries(COMPUTER[date] ?? {}))),
    ...toolSearch,
    ...(serverTools ? { ...toolsets, ...webAndCode } : {}),
    ...(advisor ? advisorTool : {}),
    ...(mcp ? mcpToolset : {}),
  };
  const sorted = Object.entries(versions).sort(([one], [other]) => (one < other ? -1 : 1));
  return tagged(Object.fromEntries(sorted), 'custom');
}

const shared: Fields = {
  allowed_callers: list(oneOf(['direct', 'code_execution_20250825', 'code_execution_20260120', 'code_execution_20260521'])),
  cache_control: cacheControl,
  defer_loading: flag,
  strict: flag,
};
const examples: Fields = { input_examples: list(record) };

/** A tool with a fixed name. */
const builtIn = (name: string, optional: Fields = {}): Shape => variant({ name: oneOf([name]) }, { ...shared, ...optional });

const clientTools: Fields = {
  custom: object(
    {
      name: text({ min: 1, max: 128, pattern: /^[a-zA-Z0-9_-]{1,128}$/ }),
      input_schema: object({ type: oneOf(['object']) }, { properties: nullable(record), required: nullable(list(text())) }, true),
    },
    { type: anything, description: text(), eager_input_streaming: nullable(flag), ...shared, ...examples },
  ),
  bash_20250124: builtIn('bash', examples),
  memory_20250818: builtIn('memory', examples),
  text_editor_20250124: builtIn('str_replace_editor', examples),
  text_editor_20250429: builtIn('str_replace_based_edit_tool', examples),
  text_editor_20250728: builtIn('str_replace_based_edit_tool', {
    ...examples,
    max_characters: nullable(integer({ min: 1 })),
  }),
};

const computer = (optional: Fields = {}): Shape =>
  variant(
    { name: oneOf(['computer']), display_height_px: integer({ min: 1 }), display_width_px: integer({ min: 1 }) },
    { ...shared, ...examples, display_number: nullable(integer({ min: 0 })), ...optional },
  );

/** Computer use tools, and the tools that came with their first version, by the date of its beta header. */
const COMPUTER: Readonly<Record<string, Fields>> = {
  '20241022': { bash_20241022: builtIn('bash', examples), computer_20241022: computer(), text_editor_20241022: builtIn('str_replace_editor', examples) },
  '20250124': { computer_20250124: computer() },
  '20251124': { computer_20251124: computer({ enable_zoom: flag }) },
};

const toolSearch: Fields = {
  tool_search_tool_bm25: builtIn('tool_search_tool_bm25'),
  tool_search_tool_bm25_20251119: builtIn('tool_search_tool_bm25'),
  tool_search_tool_regex: builtIn('tool_search_tool_regex'),
  tool_search_tool_regex_20251119: builtIn('tool_search_tool_regex'),
};

const memberConfig = nullable(object({}, { defer_loading: nullable(flag), enabled: nullable(flag) }));

/** A toolset configures its members by name. */
const toolset = (members: readonly string[]): Shape =>
  variant({}, { cache_control: cacheControl, configs: nullable(object({}, Object.fromEntries(members.map((name) => [name, memberConfig])))) });
const POINTER = [
  ...['double_click', 'hold_key', 'key', 'left_click', 'left_click_drag', 'left_mouse_down', 'left_mouse_up', 'middle_click', 'mouse_move'],
  ...['right_click', 'screenshot', 'scroll', 'triple_click', 'type', 'wait', 'zoom'],
];
const BROWSER = [
  ...['close_tab', 'file_upload', 'find', 'form_input', 'get_page_text', 'hover', 'javascript_exec', 'list_tabs', 'navigate', 'new_tab'],
  ...['read_console', 'read_network', 'read_page', 'scroll_to', 'switch_tab'],
];
const toolsets: Fields = {
  browser_toolset_20260801: toolset([...POINTER, ...BROWSER]),
  computer_toolset_20260801: toolset([...POINTER, 'cursor_position']),
};

const domains = nullable(list(text()));
const web: Fields = { allowed_domains: domains, blocked_domains: domains, max_uses: nullable(integer({ min: 1 })) };
const place = nullable(text());
const location = tagged({ approximate: variant({}, { city: place, region: place, country: place, timezone: place }) });
const search: Fields = { ...web, user_location: nullable(location) };
const wholeSource: Fields = { all: variant({}), none: variant({}) };
const named = { tools: list(tagged({ tool_reference: variant({ name: text({ min: 1 }) }) })) };
const resultSource = tagged({ ...wholeSource, only: variant(named), except: variant(named) });
const urlSources = object({}, { client_tool_results: resultSource, server_tool_results: resultSource, user_input: tagged(wholeSource) });

const fetch: Fields = {
  ...web,
  citations: nullable(citationsConfig),
  max_content_tokens: nullable(integer({ min: 1 })),
  url_sources: nullable(urlSources),
};
const response_inclusion = oneOf(['full', 'excluded']);

const webAndCode: Fields = {
  web_search_20250305: builtIn('web_search', search),
  web_search_20260209: builtIn('web_search', search),
  web_search_20260318: builtIn('web_search', { ...search, response_inclusion }),
  web_fetch_20250910: builtIn('web_fetch', fetch),
  web_fetch_20260209: builtIn('web_fetch', fetch),
  web_fetch_20260309: builtIn('web_fetch', { ...fetch, use_cache: flag }),
  web_fetch_20260318: builtIn('web_fetch', { ...fetch, use_cache: flag, response_inclusion }),
  code_execution_20250522: builtIn('code_execution'),
  code_execution_20250825: builtIn('code_execution'),
  code_execution_20260120: builtIn('code_execution'),
  code_execution_20260521: builtIn('code_execution'),
};

const advisorTool: Fields = {
  advisor_20260301: variant(
    { name: oneOf(['advisor']), model: text({ min: 1 }) },
    {
      ...shared,
      caching: cacheControl,
      max_tokens: nullable(integer({ min: 1 })),
      max_uses: nullable(integer({ min: 1 })),
    },
  ),
};
