import type { Dialect } from './dialect.js';
import { SERVER_TOOL_USE_ID, TOOL_USE_ID, block, caller, citationsConfig, innerText, onlyVariant, textBlock, toolReference, variant } from './parts.js';
import { isBlank } from '../../../protocol/message/unknown-json.js';
import { fallbackBlock } from './fallbacks.js';
import { mcpBlocks, mcpListing } from './mcp.js';
import { toolChange } from './tool-changes.js';
import { serverResults } from './server-results.js';
import { flag, list, nullable, number, object, onlyIf, oneOf, record, repairedElsewhere, tagged, text, textOr, type Shape } from './shape.js';

const SERVER_TOOLS = [
  'web_search',
  'web_fetch',
  'code_execution',
  'bash_code_execution',
  'text_editor_code_execution',
  'tool_search_tool_regex',
  'tool_search_tool_bm25',
];

/** Content blocks of user and assistant messages (docs: Messages API, `messages.content`). */
export function contentBlocks(dialect: Dialect): Shape {
  return tagged({
    text: textBlock,
    ...mediaBlocks(dialect, repairedElsewhere),
    search_result: searchResult,
    thinking: variant({ thinking: repairedElsewhere(text()), signature: repairedElsewhere(text()) }),
    redacted_thinking: variant({ data: repairedElsewhere(text()) }),
    tool_use: block(
      {
        id: repairedElsewhere(text({ pattern: TOOL_USE_ID })),
        name: repairedElsewhere(text({ min: 1, max: 200 })),
        input: repairedElsewhere(record),
      },
      { caller, toolset_name: nullable(text()) },
    ),
    tool_result: block(
      { tool_use_id: repairedElsewhere(text({ pattern: TOOL_USE_ID })) },
      { is_error: flag, toolset_name: nullable(text()), content: repairedElsewhere(textOr(list(resultBlocks(dialect)))) },
    ),
    server_tool_use: block(
      {
        id: repairedElsewhere(text({ pattern: SERVER_TOOL_USE_ID })),
        name: oneOf(dialect.advisor ? [...SERVER_TOOLS, 'advisor'] : SERVER_TOOLS),
        input: repairedElsewhere(record),
      },
      { caller },
    ),
    ...serverResults(dialect, onlyVariant('document', mediaBlocks(dialect, (source) => source).document)),
    container_upload: block({ file_id: text() }),
    ...(dialect.mcp ? mcpBlocks : {}),
    ...(dialect.mcpListing ? mcpListing : {}),
    ...(dialect.compaction ? { compaction: compaction(dialect) } : {}),
    ...(dialect.fallbacks ? fallbackBlock : {}),
  });
}

/** The content blocks of a tool result (docs: Handle tool calls). */
export function resultBlocks(dialect: Dialect): Shape {
  return tagged({
    text: innerText,
    ...mediaBlocks(dialect, repairedElsewhere),
    search_result: searchResult,
    tool_reference: toolReference,
    browser_state: browserState,
  });
}

const compaction = (dialect: Dialect): Shape =>
  block(
    {},
    {
      content: nullable(text()),
      encrypted_content: nullable(text()),
      signature: nullable(text()),
      ...(dialect.compactionToolChanges ? { tool_changes: nullable(list(tagged(toolChange(dialect)))) } : {}),
    },
  );

/** Pictures and documents. `ofSource` says how their sources are repaired. */
function mediaBlocks({ mediaByReference }: Dialect, ofSource: (source: Shape) => Shape): { readonly image: Shape; readonly document: Shape } {
  const picture = variant({ data: text(), media_type: oneOf(['image/jpeg', 'image/png', 'image/gif', 'image/webp']) });
  const image = block(
    { source: ofSource(tagged(mediaByReference ? { base64: picture, ...references } : { base64: picture })) },
    { transformations: nullable(object({}, { oversized_image: downsizing })) },
  );
  const embedded = {
    base64: variant({ data: text(), media_type: oneOf(['application/pdf']) }),
    text: variant({ data: text(), media_type: oneOf(['text/plain']) }),
    content: variant({ content: textOr(list(tagged({ text: innerText, image }))) }),
  };
  const document = block(
    { source: ofSource(tagged(mediaByReference ? { ...embedded, ...references } : embedded)) },
    { title: nullable(text({ min: 1, max: 500 })), context: nullable(text({ min: 1 })), citations: nullable(citationsConfig) },
  );
  return { image, document };
}

/** A stored picture that is too large is made smaller instead of failing every later request. */
const downsizing = onlyIf(oneOf(['downsize', 'error']), (value) => value === 'downsize');

/** The text of a document whose source is `content`. */
export const documentText = textOr(
  list(tagged({ text: innerText }), true),
  onlyIf(text(), (value) => !isBlank(value)),
);

const references = { url: variant({ url: text({ min: 1 }) }), file: variant({ file_id: text({ min: 1 }) }) };

const download = { download_id: text(), url: text() };

const browserState = block(
  { tabs: list(object({ tab_id: text(), title: text(), url: text() }, { active: flag })) },
  {
    state_changes: nullable(
      list(
        tagged({
          tab_opened: variant({ tab_id: text() }),
          download_started: variant(download),
          download_completed: variant(download, { path: nullable(text()), size_bytes: nullable(number()) }),
          download_failed: variant(download, { error: nullable(text()) }),
        }),
      ),
    ),
  },
);

const searchResult = block({ content: list(tagged({ text: innerText }), true), source: text(), title: text() }, { citations: citationsConfig });
