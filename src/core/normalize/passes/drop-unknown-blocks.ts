import { blockKind, SERVER_TOOLS } from '../block-kinds.js';
import { isObject, loose } from '../../message/unknown-json.js';
import { eachMessage, type Pass } from '../pass.js';
import { mapped, withBlocks, type WorkingBlock, type WorkingKind, type WorkingMessage } from '../working-message.js';

/**
 * Blocks that the model API does not know, that lack what makes them one, or that stand in the wrong role's message: `Input tag 'reasoning' found using
 * 'type' does not match any of the expected tags`; `tool_result blocks can only be in user messages`. Every later pass may rely on blocks being what
 * their type says. Tool ids, names and inputs, thinking, and media data are judged by passes of their own.
 */
export const dropUnknownBlocks: Pass = {
  name: 'drop-unknown-blocks',
  reason: 'the model API takes no such block there',
  ...eachMessage(clean),
};

function clean(message: WorkingMessage): WorkingMessage {
  return withBlocks(message, mapped(message.blocks, unlessForeign, message.kind));
}

function unlessForeign(before: WorkingBlock, kind: WorkingKind): WorkingBlock | null {
  const known = blockKind(before.block.type);
  if (!known || (known.in !== 'either' && known.in !== kind)) return null;
  return isWhole(before) ? before : null;
}

function isWhole({ block }: WorkingBlock): boolean {
  const value = loose(block);
  switch (value['type']) {
    case 'text':
      return typeof value['text'] === 'string';
    case 'server_tool_use':
      return typeof value['id'] === 'string' && typeof value['name'] === 'string' && SERVER_TOOLS.has(value['name']);
    case 'search_result':
      return typeof value['source'] === 'string' && typeof value['title'] === 'string' && Array.isArray(value['content']);
    case 'container_upload':
      return typeof value['file_id'] === 'string';
    case 'tool_result':
      return typeof value['tool_use_id'] === 'string';
    case 'image':
    case 'document':
    case 'thinking':
    case 'redacted_thinking':
    case 'tool_use':
      return true;
    default:
      // What a server tool left: its inside is the provider's own.
      return typeof value['tool_use_id'] === 'string' && (isObject(value['content']) || Array.isArray(value['content']));
  }
}
