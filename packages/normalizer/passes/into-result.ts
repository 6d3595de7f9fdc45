import type { ContentBlock, TextBlock, ToolResultBlock } from '../../protocol/message/content.js';
import { REMINDER_OPEN } from '../../protocol/message/wire-texts.js';
import { changed, type WorkingBlock, type WorkingMessage } from '../working-message.js';

export const isReminder = ({ block, system }: WorkingBlock): boolean => system === undefined && block.type === 'text' && block.text.startsWith(REMINDER_OPEN);

export const isResult = ({ block }: WorkingBlock): boolean => block.type === 'tool_result';

/** A result with tool references takes no text beside them. */
export function takesText({ block }: WorkingBlock): boolean {
  const { content } = block as ToolResultBlock;
  return typeof content !== 'object' || !content.some(({ type }) => type === 'tool_reference');
}

/** Appends texts of a turn to results of the same turn, after a blank line. String content stays a string. */
export function movedInto(message: WorkingMessage, takes: ReadonlyMap<WorkingBlock, readonly WorkingBlock[]>): WorkingMessage {
  if (takes.size === 0) return message;
  const folded = new Set([...takes.values()].flat());
  return { ...message, blocks: message.blocks.filter((one) => !folded.has(one)).map((one) => extended(one, takes.get(one))) };
}

function extended(one: WorkingBlock, texts: readonly WorkingBlock[] | undefined): WorkingBlock {
  if (!texts) return one;
  const result = one.block as ToolResultBlock;
  const text = texts.map(({ block }) => (block as TextBlock).text).join('\n\n');
  const sources = [...new Set([one, ...texts].flatMap((part) => part.sources))];
  return { ...changed(one, { ...result, content: withText(result.content, text) }), sources };
}

function withText(content: ToolResultBlock['content'], text: string): string | readonly ContentBlock[] {
  if (content === undefined || content === '') return text;
  if (typeof content === 'string') return `${content}\n\n${text}`;
  const last = content.at(-1);
  return last?.type === 'text' ? content.with(-1, { ...last, text: `${last.text}\n\n${text}` }) : [...content, { type: 'text', text }];
}
