import type { ContentBlock } from '../../protocol/message/content.js';
import { loose } from '../../protocol/message/unknown-json.js';
import type { Pass } from '../pass.js';
import { mapped } from '../../protocol/mapped.js';
import { changed, withBlocks, type WorkingBlock, type WorkingMessage } from '../working-message.js';

/**
 * Citations are enabled for all documents of a request or for none, and likewise for search results (docs: Citations; Search results). The first block of a
 * type decides for the later ones, so that an earlier request stays a prefix. Needs `cap-media`: the first document is the first one that is sent.
 */
export const unifyCitations: Pass = {
  name: 'unify-citations',
  reason: 'citations must be enabled for all blocks of a type or for none; the first one decides',
  apply: (messages) => (messages.some(hasCitable) ? mapped(messages, unified, new Map<string, boolean>()) : messages),
};

export const isCitable = (block: ContentBlock): boolean => block?.type === 'document' || (block?.type as string) === 'search_result';
const isCited = (block: ContentBlock): boolean => loose(loose(block)['citations'])['enabled'] === true;
const innerOf = (block: ContentBlock): readonly ContentBlock[] => (block.type === 'tool_result' && Array.isArray(block.content) ? block.content : []);

const hasCitable = ({ kind, blocks }: WorkingMessage): boolean =>
  kind === 'user' && blocks.some(({ block }) => isCitable(block) || innerOf(block).some(isCitable));

/** `first`: whether citations are enabled on the first block of each type. */
function unified(message: WorkingMessage, first: Map<string, boolean>): WorkingMessage {
  return message.kind === 'user' ? withBlocks(message, mapped(message.blocks, unifiedBlock, first)) : message;
}

function unifiedBlock(before: WorkingBlock, first: Map<string, boolean>): WorkingBlock {
  const { block } = before;
  const inner = innerOf(block);
  const content = mapped(inner, unifiedCitable, first);
  const after = content === inner ? unifiedCitable(block, first) : ({ ...block, content } as ContentBlock);
  return after === block ? before : changed(before, after);
}

function unifiedCitable(block: ContentBlock, first: Map<string, boolean>): ContentBlock {
  if (!isCitable(block)) return block;
  const isEnabled = first.get(block.type) ?? isCited(block);
  first.set(block.type, isEnabled);
  return isCited(block) === isEnabled ? block : ({ ...block, citations: { enabled: isEnabled } } as ContentBlock);
}
