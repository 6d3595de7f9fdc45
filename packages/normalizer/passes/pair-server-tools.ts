import { isServerResult, resultType } from '../api-rules/server-tools.js';
import type { ContentBlock } from '../../protocol/message/content.js';
import { loose } from '../../protocol/message/unknown-json.js';
import type { Pass, PassContext } from '../pass.js';
import { mapped } from '../../protocol/mapped.js';
import { changed, withBlocks, type Working, type WorkingBlock, type WorkingMessage } from '../working-message.js';

/**
 * A server tool call has its result in the same assistant turn, of the type that belongs to the tool: `web_search tool use with id srvtoolu_x was found without
 * a corresponding web_search_tool_result block`, `unexpected tool_use_id found in web_search_tool_result blocks`. An answer stopped during a search has one
 * without the other. A call stays open across a user turn of results only, and at the end of the conversation while its tool is offered: there the API
 * continues it. Ids are `srvtoolu_` and letters, digits or _. Needs `merge-users`: a turn of results only is one message.
 */
export const pairServerTools: Pass = {
  name: 'pair-server-tools',
  reason: {
    dropped: 'a server tool call without its result, or a result without its call',
    changed: "ids of server tool calls are 'srvtoolu_' and letters, digits or _",
  },
  apply: (messages, context) => (messages.some(hasServerTools) ? mapped(messages, paired, unpaired(messages, context)) : messages),
};

const isCall = (block: ContentBlock): boolean => (block.type as string) === 'server_tool_use';
const callId = (block: ContentBlock): unknown => loose(block)[isCall(block) ? 'id' : 'tool_use_id'];
const toolName = ({ block }: WorkingBlock): string => String(loose(block)['name']);
const isServerBlock = ({ block }: WorkingBlock): boolean => isCall(block) || isServerResult(block.type);
const hasServerTools = ({ kind, blocks }: WorkingMessage): boolean => kind === 'assistant' && blocks.some(isServerBlock);

/** Calls and results without their counterpart. */
function unpaired(messages: Working, { tools }: PassContext): ReadonlySet<WorkingBlock> {
  const found = new Set<WorkingBlock>();
  let open = new Map<unknown, WorkingBlock>();
  for (const { kind, blocks } of messages) {
    if (kind === 'user' && blocks.some(({ block }) => block.type !== 'tool_result')) {
      for (const call of open.values()) found.add(call);
      open = new Map();
    } else if (kind === 'assistant') {
      for (const one of blocks.filter(isServerBlock)) {
        const id = callId(one.block);
        const call = open.get(id);
        if (isCall(one.block)) {
          if (call) found.add(call);
          open.set(id, one);
        } else if (call && resultType(toolName(call)) === one.block.type) open.delete(id);
        else found.add(one);
      }
    }
  }
  for (const call of open.values()) if (!tools.has(toolOf(toolName(call)))) found.add(call);
  return found;
}

/** The tool that is offered: bash and the text editor are parts of code execution. */
const toolOf = (name: string): string => (name.endsWith('_code_execution') ? 'code_execution' : name);

function paired(message: WorkingMessage, dropped: ReadonlySet<WorkingBlock>): WorkingMessage {
  return message.kind === 'assistant' ? withBlocks(message, mapped(message.blocks, kept, dropped)) : message;
}

function kept(before: WorkingBlock, dropped: ReadonlySet<WorkingBlock>): WorkingBlock | null {
  if (!isServerBlock(before)) return before;
  if (dropped.has(before)) return null;
  const id = String(callId(before.block));
  const valid = validId(id);
  if (valid === id) return before;
  return changed(before, { ...before.block, [isCall(before.block) ? 'id' : 'tool_use_id']: valid } as ContentBlock);
}

const validId = (id: string): string =>
  /^srvtoolu_[a-zA-Z0-9_]+$/.test(id) ? id : `srvtoolu_${id.replace(/^srvtoolu_/, '').replace(/[^a-zA-Z0-9_]/g, '_') || '0'}`;
