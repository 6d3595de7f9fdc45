import { fitBlock } from '../api-rules/inner-shapes.js';
import { loose } from '../../protocol/message/unknown-json.js';
import { blockRole } from '../block-kinds.js';
import { perMessage, type Pass, type PassSettings } from '../pass.js';
import { mapped } from '../../protocol/mapped.js';
import { withBlocks, type WorkingBlock, type WorkingMessage } from '../working-message.js';

/**
 * Blocks of a type that the model API does not have, that lack a required member, or that are in a message of the wrong role: `Input tag 'reasoning' found
 * using 'type' does not match any of the expected tags`; `tool_result blocks can only be in user messages`. Later passes rely on every block being what its
 * type says. Tool ids, names and inputs, thinking, and media data have separate passes. Needs `flatten-blocks`.
 */
export const dropUnknownBlocks: Pass = {
  name: 'drop-unknown-blocks',
  reason: 'the model API does not accept this block in this message',
  ...perMessage(clean),
};

function clean(message: WorkingMessage, settings: PassSettings): WorkingMessage {
  return withBlocks(message, mapped(message.blocks, unlessUnknown, { settings, message }));
}

interface Context {
  readonly settings: PassSettings;
  readonly message: WorkingMessage;
}

function unlessUnknown(before: WorkingBlock, { settings, message }: Context): WorkingBlock | null {
  const role = blockRole(before.block.type);
  if (!role || (role !== 'either' && role !== message.kind)) return null;
  return isComplete(before, settings) ? before : null;
}

function isComplete({ block }: WorkingBlock, { profile }: PassSettings): boolean {
  const value = loose(block);
  switch (value['type']) {
    case 'text':
      return typeof value['text'] === 'string';
    case 'tool_result':
      return typeof value['tool_use_id'] === 'string';
    case 'image':
    case 'document':
    case 'thinking':
    case 'redacted_thinking':
    case 'tool_use':
      return true;
    default:
      return (value['type'] !== 'server_tool_use' || typeof value['id'] === 'string') && fitBlock(block, profile) !== undefined;
  }
}
