import type { Dialect } from './dialect.js';
import { SERVER_TOOL_USE_ID, TOOL_USE_ID, block, caller, citationsConfig, textBlock, toolReference, variant } from './parts.js';
import { mcpBlocks } from './mcp.js';
import { serverResults } from './server-results.js';
import { flag, list, nullable, number, object, oneOf, record, tagged, text, textOr, type Shape } from './shape.js';

const SERVER_TOOLS = [
  'web_search',
  'web_fetch',
  'code_execution',
  'bash_code_execution',
  'text_editor_code_execution',
  'tool_search_tool_regex',
  'tool_search_tool_bm25',
];

/** The content blocks of a user or assistant message (docs: Messages API, `messages.content`). */
export function contentBlocks(dialect: Dialect): Shape {
  const image = imageBlock(dialect);
  const document = documentBlock(dialect, image);
  return tagged({
    text: textBlock,
    image,
    document,
    search_result: searchResult,
    thinking: variant({ thinking: text(), signature: text() }),
    redacted_thinking: variant({ data: text() }),
    tool_use: block({ id: text({ pattern: TOOL_USE_ID }), name: text({ min: 1, max: 200 }), input: record }, { caller, toolset_name: nullable(text()) }),
    tool_result: block(
      { tool_use_id: text({ pattern: TOOL_USE_ID }) },
      {
        is_error: flag,
        toolset_name: nullable(text()),
        content: textOr(
          list(
            tagged({
              text: textBlock,
              image,
              search_result: searchResult,
              document,
              tool_reference: toolReference,
              browser_state: browserState,
            }),
          ),
        ),
      },
    ),
    server_tool_use: block(
      {
        id: text({ pattern: SERVER_TOOL_USE_ID }),
        name: oneOf(dialect.advisor ? [...SERVER_TOOLS, 'advisor'] : SERVER_TOOLS),
        input: record,
      },
      { caller },
    ),
    ...serverResults(dialect, document),
    container_upload: block({ file_id: text() }),
    ...(dialect.mcp ? mcpBlocks : {}),
    ...(dialect.compaction ? { compaction } : {}),
  });
}

const compaction = block({}, { content: nullable(text()), encrypted_content: nullable(text()), signature: nullable(text()) });

function imageBlock({ mediaByReference }: Dialect): Shape {
  const base64 = variant({ data: text(), media_type: oneOf(['image/jpeg', 'image/png', 'image/gif', 'image/webp']) });
  return block(
    { source: tagged(mediaByReference ? { base64, ...references } : { base64 }) },
    { transformations: nullable(object({}, { oversized_image: oneOf(['downsize', 'error']) })) },
  );
}

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

const searchResult = block({ content: list(tagged({ text: textBlock }), true), source: text(), title: text() }, { citations: citationsConfig });

function documentBlock({ mediaByReference }: Dialect, image: Shape): Shape {
  const embedded = {
    base64: variant({ data: text(), media_type: oneOf(['application/pdf']) }),
    text: variant({ data: text(), media_type: oneOf(['text/plain']) }),
    content: variant({ content: textOr(list(tagged({ text: textBlock, image }))) }),
  };
  return block(
    { source: tagged(mediaByReference ? { ...embedded, ...references } : embedded) },
    {
      title: nullable(text({ min: 1, max: 500 })),
      context: nullable(text({ min: 1 })),
      citations: nullable(citationsConfig),
    },
  );
}
