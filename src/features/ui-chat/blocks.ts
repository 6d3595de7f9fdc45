import type { ContentBlock, Json } from '../../../packages/protocol/message/content.js';
import { isObject, loose } from '../../../packages/protocol/message/unknown-json.js';
import type { Chunk } from './chunks.js';

/** What of a block of an answer streams: text, thinking or a tool call. Null: it has no part in a UI message, or, for a result of a provider's tool, only when it is complete. */
export type BlockKind = 'text' | 'reasoning' | 'tool' | 'other';

export function kindOf(block: unknown): BlockKind {
  switch (loose(block)['type']) {
    case 'text':
      return 'text';
    case 'thinking':
      return 'reasoning';
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      return 'tool';
    default:
      return 'other';
  }
}

/** The text of a block so far; of a tool call, nothing. */
export function textIn(block: unknown): string {
  const { type, text, thinking } = loose(block);
  const value = type === 'thinking' ? thinking : type === 'text' ? text : '';
  return typeof value === 'string' ? value : '';
}

export function startOf(kind: BlockKind, id: string, block: unknown): readonly Chunk[] {
  if (kind === 'text' || kind === 'reasoning') return [{ type: `${kind}-start`, id }];
  return kind === 'tool' ? [{ type: 'tool-input-start', ...callOf(block) }] : [];
}

export function deltaOf(kind: BlockKind, id: string, delta: string): readonly Chunk[] {
  return (kind === 'text' || kind === 'reasoning') && delta !== '' ? [{ type: `${kind}-delta`, id, delta }] : [];
}

export function endOf(kind: BlockKind, id: string): readonly Chunk[] {
  return kind === 'text' || kind === 'reasoning' ? [{ type: `${kind}-end`, id }] : [];
}

/** What follows the end of a complete block: the input of a call, or the result of a provider's tool. */
export function completed(block: ContentBlock): readonly Chunk[] {
  const given = loose(block);
  if (kindOf(block) === 'tool') return [{ type: 'tool-input-available', ...callOf(block), input: (given['input'] ?? {}) as Json }];
  if (typeof given['tool_use_id'] === 'string') {
    return [
      { type: 'tool-output-available', toolCallId: given['tool_use_id'], output: (given['content'] ?? null) as Json, providerExecuted: true, dynamic: true },
    ];
  }
  return [];
}

/** The sources that a text cites. They follow all blocks: those of a block that was streamed would otherwise stand elsewhere than those of one that was not. */
export function sourcesOf(block: ContentBlock, id: string): readonly Chunk[] {
  const given = loose(block);
  if (!Array.isArray(given['citations'])) return [];
  return given['citations'].flatMap((citation: unknown, index): Chunk[] => {
    const { url, title } = loose(citation);
    if (typeof url !== 'string') return [];
    return [{ type: 'source-url', sourceId: `${id}:${index}`, url, ...(typeof title === 'string' ? { title } : {}) }];
  });
}

function callOf(block: unknown) {
  const { type, id, name } = loose(block);
  return {
    toolCallId: String(id),
    toolName: String(name),
    dynamic: true as const,
    ...(type === 'tool_use' ? {} : { providerExecuted: true as const }),
  };
}

/** The results of tool calls that a stored message carries. */
export function resultsIn(content: unknown): readonly { readonly id: string; readonly output: Json; readonly isError: boolean }[] {
  if (!Array.isArray(content)) return [];
  return content
    .filter(isObject)
    .flatMap(({ type, tool_use_id: id, content: output, is_error: isError }) =>
      type === 'tool_result' && typeof id === 'string' ? [{ id, output: (output ?? '') as Json, isError: isError === true }] : [],
    );
}
