import { isServerResult } from '../api-rules/server-tools.js';
import type { Pass, PassContext } from '../pass.js';
import { CONTINUE } from '../placeholders.js';
import { isThinking } from './drop-orphaned-thinking.js';
import { changed, added, type Working, type WorkingBlock, type WorkingMessage } from '../working-message.js';

/**
 * `This model does not support assistant message prefill. The conversation must end with a user message.` A turn never sends a request
 * after a complete answer, but a dry run may: it gets a placeholder. Models with prefill accept an answer without white space at its end: `final assistant
 * content cannot end with trailing whitespace`. A turn that the API paused during server tool calls is sent back as it is.
 */
export const endWithUser: Pass = {
  name: 'end-with-user',
  reason: {
    added: 'this model has no prefill: a conversation must end with a user message',
    changed: 'a prefill must not end in white space',
    dropped: 'a prefill must not end in white space or thinking',
  },
  apply: end,
};

function end(messages: Working, { profile }: PassContext): Working {
  const last = messages.at(-1);
  if (last?.kind !== 'assistant' || isPaused(last)) return messages;
  if (!profile.prefill) return [...messages, { kind: 'user', original: null, blocks: [added({ type: 'text', text: CONTINUE })] }];
  const blocks = trimmed(last.blocks);
  return blocks === last.blocks ? messages : messages.with(-1, { ...last, blocks });
}

function isPaused({ blocks }: WorkingMessage): boolean {
  const type: string = blocks.at(-1)?.block.type ?? '';
  return type === 'server_tool_use' || (isServerResult(type) && blocks.some(({ block }) => (block.type as string) === 'server_tool_use'));
}

/** White space and thinking alternate at the end in any order; both are removed. */
function trimmed(blocks: readonly WorkingBlock[]): readonly WorkingBlock[] {
  const last = blocks.at(-1);
  if (last && isThinking(last) && blocks.length > 1) return trimmed(blocks.slice(0, -1));
  if (last?.block.type !== 'text') return blocks;
  const text = last.block.text.trimEnd();
  if (text === last.block.text) return blocks;
  return text === '' && blocks.length > 1 ? trimmed(blocks.slice(0, -1)) : blocks.with(-1, changed(last, { ...last.block, text }));
}
