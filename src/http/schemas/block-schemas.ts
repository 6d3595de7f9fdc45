import { z } from 'zod';
import { json, jsonObject } from './json.js';
import { openUnion } from './open-union.js';

/** The content blocks of the model API and of the log (source: Messages API reference, `messages.content`). */

const cacheControl = z
  .looseObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() })
  .meta({ id: 'CacheControl', description: 'A cache breakpoint of the model API.' });

const cached = { cache_control: cacheControl.nullable().optional() };

const citation = z
  .looseObject({ type: z.string(), cited_text: z.string().optional() })
  .meta({ id: 'Citation', description: 'A citation as the model API returned it; further members depend on `type`.' });

const base64Source = z
  .looseObject({ type: z.literal('base64'), media_type: z.string(), data: z.string() })
  .meta({ id: 'Base64Source', description: 'The bytes themselves. They are stored, and replaced by a `blob` source.' });
const urlSource = z.looseObject({ type: z.literal('url'), url: z.string() }).meta({ id: 'UrlSource' });
const fileSource = z.looseObject({ type: z.literal('file'), file_id: z.string() }).meta({ id: 'FileSource', description: 'A file of the model API.' });
const textSource = z.looseObject({ type: z.literal('text'), media_type: z.string(), data: z.string() }).meta({ id: 'TextSource' });
export const blobSource = z
  .looseObject({
    type: z.literal('blob'),
    media_type: z.string(),
    sha256: z.string().meta({ description: 'Hexadecimal; `GET /v1/sessions/{id}/blobs/{sha256}` returns the bytes.' }),
    bytes: z.int(),
    width: z.int().optional().meta({ description: 'Of an image, in pixels.' }),
    height: z.int().optional(),
    pages: z.int().optional().meta({ description: 'Of a PDF; absent when it could not be read.' }),
    original: z
      .looseObject({
        type: z.literal('blob'),
        media_type: z.string(),
        sha256: z.string(),
        bytes: z.int(),
        width: z.int().optional(),
        height: z.int().optional(),
      })
      .optional()
      .meta({ description: 'Of an image of a tool result or an import that was scaled down for the model: the bytes as they came.' }),
  })
  .meta({ id: 'StoredSource', description: 'Bytes that the server stores. In messages and events of the server; a request cannot contain it.' });

const textBlock = z
  .looseObject({ type: z.literal('text'), text: z.string(), citations: z.array(citation).nullable().optional(), ...cached })
  .meta({ id: 'TextBlock' });

const imageBlock = z
  .looseObject({ type: z.literal('image'), source: z.discriminatedUnion('type', [base64Source, urlSource, fileSource, blobSource]), ...cached })
  .meta({ id: 'ImageBlock' });

const contentSource = z
  .looseObject({ type: z.literal('content'), content: z.union([z.string(), z.array(z.discriminatedUnion('type', [textBlock, imageBlock]))]) })
  .meta({ id: 'ContentSource' });

const documentBlock = z
  .looseObject({
    type: z.literal('document'),
    source: z.discriminatedUnion('type', [base64Source, textSource, contentSource, urlSource, fileSource, blobSource]),
    title: z.string().nullable().optional(),
    context: z.string().nullable().optional(),
    citations: z.looseObject({ enabled: z.boolean().optional() }).nullable().optional(),
    ...cached,
  })
  .meta({ id: 'DocumentBlock' });

const thinkingBlock = z
  .looseObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() })
  .meta({ id: 'ThinkingBlock', description: 'Sent back to the model unchanged.' });

const redactedThinkingBlock = z.looseObject({ type: z.literal('redacted_thinking'), data: z.string() }).meta({ id: 'RedactedThinkingBlock' });

const caller = json.optional().meta({ description: 'What called the tool, as the model API returned it.' });
const toolInput = jsonObject.meta({ description: 'Arguments of the call; their schema is `input_schema` of the tool.' });

const toolUseBlock = z
  .looseObject({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: toolInput, caller, ...cached })
  .meta({ id: 'ToolUseBlock', description: 'A call of a tool. The user message after it contains the result.' });

const toolReferenceBlock = z
  .looseObject({ type: z.literal('tool_reference'), tool_name: z.string(), ...cached })
  .meta({ id: 'ToolReferenceBlock', description: 'In the result of a tool search: a tool that was found.' });

const searchResultBlock = z
  .looseObject({
    type: z.literal('search_result'),
    source: z.string(),
    title: z.string(),
    content: z.array(textBlock),
    citations: z.looseObject({ enabled: z.boolean().optional() }).optional(),
    ...cached,
  })
  .meta({ id: 'SearchResultBlock' });

const toolResultBlock = z
  .looseObject({
    type: z.literal('tool_result'),
    tool_use_id: z.string(),
    content: z.lazy(() => z.union([z.string(), z.array(contentBlock)])).optional(),
    is_error: z.boolean().optional(),
    ...cached,
  })
  .meta({ id: 'ToolResultBlock', description: 'Without `content`: the tool returned nothing.' });

const serverToolUseBlock = z
  .looseObject({ type: z.literal('server_tool_use'), id: z.string(), name: z.string(), input: toolInput, caller, ...cached })
  .meta({ id: 'ServerToolUseBlock', description: 'A call of a tool that the model API runs.' });

/** The result blocks of tools that the model API runs: the same members, `content` depends on the type. */
const serverResult = <Type extends string>(type: Type, id: string) =>
  z
    .looseObject({ type: z.literal(type), tool_use_id: z.string(), content: json, caller, ...cached })
    .meta({ id, description: 'The result of a tool that the model API ran; `content` is as the API returned it.' });

const containerUploadBlock = z.looseObject({ type: z.literal('container_upload'), file_id: z.string(), ...cached }).meta({ id: 'ContainerUploadBlock' });

const mcpToolUseBlock = z
  .looseObject({ type: z.literal('mcp_tool_use'), id: z.string(), name: z.string(), server_name: z.string(), input: toolInput, ...cached })
  .meta({ id: 'McpToolUseBlock', description: 'A call of an MCP server that the model API is connected to.' });

const compactionBlock = z
  .looseObject({ type: z.literal('compaction'), content: z.string().nullable().optional(), ...cached })
  .meta({ id: 'CompactionBlock', description: 'A compaction by the model API.' });

/** A content block. Text blocks must contain text; everything else is repaired or left out when a request is built. */
export const contentBlock: z.ZodType = openUnion(
  [
    textBlock,
    imageBlock,
    documentBlock,
    searchResultBlock,
    thinkingBlock,
    redactedThinkingBlock,
    toolUseBlock,
    toolResultBlock,
    toolReferenceBlock,
    serverToolUseBlock,
    serverResult('web_search_tool_result', 'WebSearchToolResultBlock'),
    serverResult('web_fetch_tool_result', 'WebFetchToolResultBlock'),
    serverResult('code_execution_tool_result', 'CodeExecutionToolResultBlock'),
    serverResult('bash_code_execution_tool_result', 'BashCodeExecutionToolResultBlock'),
    serverResult('text_editor_code_execution_tool_result', 'TextEditorCodeExecutionToolResultBlock'),
    serverResult('tool_search_tool_result', 'ToolSearchToolResultBlock'),
    serverResult('advisor_tool_result', 'AdvisorToolResultBlock'),
    containerUploadBlock,
    mcpToolUseBlock,
    serverResult('mcp_tool_result', 'McpToolResultBlock'),
    compactionBlock,
  ] as never,
  'OtherBlock',
  ({ type, text }) => (type === 'text' && typeof text !== 'string' ? { path: ['text'], message: 'must be a string' } : null),
).meta({ id: 'ContentBlock', description: 'A content block of the model API, by its `type`.', examples: [{ type: 'text', text: 'What is 2+2?' }] });
