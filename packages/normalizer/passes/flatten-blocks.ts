import { fitBlock } from '../api-rules/inner-shapes.js';
import { isServerResult } from '../api-rules/server-tools.js';
import { isBlank, isObject, loose, type UnknownObject } from '../../protocol/message/unknown-json.js';
import { textOfInput } from '../../protocol/message/written-input.js';
import { blockRole } from '../block-kinds.js';
import { perMessage, type Pass, type PassSettings } from '../pass.js';
import { mapped } from '../../protocol/mapped.js';
import { changed, withBlocks, type WorkingBlock, type WorkingMessage } from '../working-message.js';

/**
 * Blocks that need a beta header this request does not have (`mcp_tool_use`, `compaction`, `connector_text`), and results of searches and server tools that
 * are incomplete: ``Invalid `encrypted_content` in `search_result` block``. What they say is sent as text. The call of a flattened result goes with
 * `pair-server-tools`. Needs `fit-block-shapes`: whatever can be repaired is repaired.
 */
export const flattenBlocks: Pass = {
  name: 'flatten-blocks',
  reason: 'the model API does not accept this block in this request, so its text is sent instead',
  ...perMessage(clean),
};

function clean(message: WorkingMessage, settings: PassSettings): WorkingMessage {
  return message.kind === 'user' || message.kind === 'assistant' ? withBlocks(message, mapped(message.blocks, flattened, { settings, message })) : message;
}

interface Context {
  readonly settings: PassSettings;
  readonly message: WorkingMessage;
}

function flattened(before: WorkingBlock, { settings, message }: Context): WorkingBlock {
  const type = String(before.block.type);
  if (!isFlattened(type)) return before;
  const role = blockRole(type);
  if (role && (role !== message.kind || fitBlock(before.block, settings.profile) !== undefined)) return before;
  const text = flattenedText(before.block);
  return text === null ? before : changed(before, { type: 'text', text });
}

const NEEDS_BETA: ReadonlySet<string> = new Set(['mcp_tool_use', 'mcp_tool_result', 'compaction', 'connector_text']);

const isFlattened = (type: string): boolean => NEEDS_BETA.has(type) || type === 'search_result' || (isServerResult(type) && type !== 'advisor_tool_result');

/** What a block of such a type says; null for other types, and when it says nothing. */
export function flattenedText(block: unknown): string | null {
  const value = loose(block);
  const type = String(value['type']);
  if (!isFlattened(type)) return null;
  const text = type === 'mcp_tool_use' ? callText(value) : readable(value).join('\n');
  return isBlank(text) ? null : text;
}

function callText({ name, server_name, input }: UnknownObject): string {
  if (typeof name !== 'string') return '';
  return `Called ${name}${typeof server_name === 'string' ? ` of the MCP server ${server_name}` : ''} with ${textOfInput(input ?? {})}`;
}

/** Members that hold what a person would read, in the order in which they are read. */
const READABLE = ['title', 'url', 'source', 'connector_text', 'text', 'data', 'stdout', 'stderr', 'lines', 'content', 'error_code', 'error_message'];

function readable(value: unknown): readonly string[] {
  if (typeof value === 'string') return isBlank(value) ? [] : [value];
  if (Array.isArray(value)) return value.flatMap(readable);
  if (!isObject(value) || value['type'] === 'base64') return [];
  return READABLE.flatMap((member) => readable(value[member]));
}
