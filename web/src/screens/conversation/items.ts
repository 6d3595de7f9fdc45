import type { ContentBlock, ToolResultBlock, TranscriptMessage } from '@verbatim/client';

/** One row of the transcript. */
export interface Item {
  readonly key: string;
  readonly message: TranscriptMessage;
}

export interface CallResult {
  readonly block: ToolResultBlock;
  readonly message: TranscriptMessage;
}

export interface Transcript {
  readonly items: readonly Item[];
  /** Results of tool calls, by the id of the call: they are shown with their call. */
  readonly results: ReadonlyMap<string, CallResult>;
  /** Uuid of the newest prompt, which can be regenerated. */
  readonly lastPrompt: string | null;
}

export function transcriptOf(messages: readonly TranscriptMessage[]): Transcript {
  const results = new Map<string, CallResult>();
  const calls = new Set<string>();
  const items: Item[] = [];
  let lastPrompt: string | null = null;
  for (const message of messages) {
    if (message.type === 'assistant') for (const block of message.message.content) if (isCall(block)) calls.add(block.id);
    if (message.type === 'user') {
      const found = blocksOf(message).filter((block): block is ToolResultBlock => block.type === 'tool_result');
      for (const block of found) results.set(block.tool_use_id, { block, message });
      if (found.length > 0 && found.length === blocksOf(message).length && found.every(({ tool_use_id }) => calls.has(tool_use_id))) continue;
      if (message.by?.kind === 'user' && found.length === 0) lastPrompt = message.uuid;
    }
    items.push({ key: message.uuid, message });
  }
  return { items, results, lastPrompt };
}

export const isCall = (block: ContentBlock): block is Extract<ContentBlock, { type: 'tool_use' }> => block.type === 'tool_use';

/** The blocks of a message of a user; its text is one block. */
export function blocksOf({ content }: Pick<Extract<TranscriptMessage, { type: 'user' }>, 'content'>): readonly ContentBlock[] {
  return typeof content === 'string' ? (content === '' ? [] : [{ type: 'text', text: content }]) : content;
}

/** The text of a message, to copy or edit it. */
export function textOf(message: TranscriptMessage): string {
  const blocks = message.type === 'assistant' ? message.message.content : message.type === 'user' ? blocksOf(message) : [];
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n\n');
}
