import type { ContentBlock } from '../../message/content.js';
import { isServerResult } from '../block-kinds.js';
import { loose } from '../../message/unknown-json.js';
import type { Pass, PassContext } from '../pass.js';
import { changed, mapped, withBlocks, type Working, type WorkingBlock, type WorkingMessage } from '../working-message.js';

/**
 * A call that ran on the API's side has its result in the same assistant turn: `web_search tool use with id srvtoolu_x was found without a corresponding
 * web_search_tool_result block`, `unexpected tool_use_id found in web_search_tool_result blocks`. An answer stopped in the middle of a search leaves one
 * without the other. A call stays open over a user turn of nothing but results, and at the end of the conversation as long as its tool is offered: there
 * the API goes on with it. Ids are `srvtoolu_` and letters, digits or _. Needs `merge-users`: a turn of nothing but results shows as one.
 */
export const pairServerTools: Pass = {
  name: 'pair-server-tools',
  reason: {
    dropped: 'a call that ran at the API, or its result, without the other',
    changed: "ids of calls that ran at the API are 'srvtoolu_' and letters, digits or _",
  },
  run: (messages, context) => (messages.some(hasServerTools) ? mapped(messages, paired, alone(messages, context)) : messages),
};

const isCall = (block: ContentBlock): boolean => (block.type as string) === 'server_tool_use';
const callId = (block: ContentBlock): unknown => loose(block)[isCall(block) ? 'id' : 'tool_use_id'];
const isServerBlock = ({ block }: WorkingBlock): boolean => isCall(block) || isServerResult(block.type);
const hasServerTools = ({ kind, blocks }: WorkingMessage): boolean => kind === 'assistant' && blocks.some(isServerBlock);

/** The blocks that lack their other half. */
function alone(messages: Working, { tools }: PassContext): ReadonlySet<WorkingBlock> {
  const found = new Set<WorkingBlock>();
  let open = new Map<unknown, WorkingBlock>();
  for (const { kind, blocks } of messages) {
    if (kind === 'user' && blocks.some(({ block }) => block.type !== 'tool_result')) {
      for (const call of open.values()) found.add(call);
      open = new Map();
    } else if (kind === 'assistant') {
      for (const one of blocks.filter(isServerBlock)) {
        const id = callId(one.block);
        if (isCall(one.block)) {
          const same = open.get(id);
          if (same) found.add(same);
          open.set(id, one);
        } else if (!open.delete(id)) found.add(one);
      }
    }
  }
  for (const call of open.values()) if (!tools.has(toolOf(String(loose(call.block)['name'])))) found.add(call);
  return found;
}

/** Bash and the text editor are parts of one tool. */
const toolOf = (name: string): string => (name.endsWith('_code_execution') ? 'code_execution' : name);

function paired(message: WorkingMessage, dropped: ReadonlySet<WorkingBlock>): WorkingMessage {
  return message.kind === 'assistant' ? withBlocks(message, mapped(message.blocks, kept, dropped)) : message;
}

function kept(before: WorkingBlock, dropped: ReadonlySet<WorkingBlock>): WorkingBlock | null {
  if (!isServerBlock(before)) return before;
  if (dropped.has(before)) return null;
  const id = String(callId(before.block));
  const own = serverId(id);
  if (own === id) return before;
  return changed(before, { ...before.block, [isCall(before.block) ? 'id' : 'tool_use_id']: own } as ContentBlock);
}

const serverId = (id: string): string =>
  /^srvtoolu_[a-zA-Z0-9_]+$/.test(id) ? id : `srvtoolu_${id.replace(/^srvtoolu_/, '').replace(/[^a-zA-Z0-9_]/g, '_') || '0'}`;
