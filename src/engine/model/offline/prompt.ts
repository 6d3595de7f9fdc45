import {
  COMPACTION_OPENING,
  INTERRUPTED,
  INTERRUPTED_FOR_TOOL_USE,
  REMINDER_CLOSE,
  REMINDER_OPEN,
  SUMMARY_OPENING,
} from '../../../../packages/protocol/message/wire-texts.js';
import { blocksOf, textOf, type ContentBlock, type ToolResultBlock } from '../../../../packages/protocol/message/content.js';
import type { Payload } from '../../../../packages/normalizer/payload.js';

/** The part of a request that determines the offline model's response. */
export interface Prompt {
  /** The last user text, without reminders and notices of the system. */
  readonly text: string;
  /** The instructions of a compaction request; null for any other request. */
  readonly summary: string | null;
  /** Number of images and documents in that message. */
  readonly media: number;
  /** Tool results in the last message, if it follows the user text. */
  readonly results: readonly { readonly tool: string; readonly text: string; readonly isError: boolean }[];
}

export function readPrompt(payload: Payload): Prompt {
  const { messages } = payload;
  const lastBlock = blocksOf(messages.at(-1)?.content).at(-1);
  if (lastBlock?.type === 'text' && lastBlock.text.trimStart().startsWith(COMPACTION_OPENING))
    return { text: '', media: 0, results: [], summary: lastBlock.text };
  const at = messages.findLastIndex(({ role, content }) => role === 'user' && isPresent(humanPart(content)));
  const human = humanPart(messages[at]?.content);
  const last = messages.at(-1);
  const results = last && last.role === 'user' && messages.length - 1 > at ? blocksOf(last.content).filter((block) => block.type === 'tool_result') : [];
  return {
    ...human,
    summary: null,
    results: results.map((block) => ({ tool: toolOf(payload, block), text: resultText(block), isError: block.is_error === true })),
  };
}

/** The user texts of a conversation. A compaction summary is replaced by the items of its list. */
export function userTextsIn({ messages }: Payload): readonly string[] {
  const texts = messages.flatMap(({ role, content }) =>
    role === 'user' ? blocksOf(content).flatMap((block) => (block.type === 'text' ? [block.text.trim()] : [])) : [],
  );
  return texts
    .flatMap((text) =>
      text.startsWith(SUMMARY_OPENING)
        ? text
            .split('\n')
            .filter((line) => line.startsWith(ITEM))
            .map((line) => line.slice(ITEM.length))
        : [withoutReminders(text).trim()],
    )
    .filter(isUserText);
}

export const ITEM = '- ';

/** Whether a text in a user message was written by a user, not by the system. */
const isUserText = (text: string): boolean =>
  text !== '' && text !== INTERRUPTED && text !== INTERRUPTED_FOR_TOOL_USE && !text.startsWith(SUMMARY_OPENING) && !text.startsWith(COMPACTION_OPENING);

type HumanPart = Pick<Prompt, 'text' | 'media'>;

const isPresent = ({ text, media }: HumanPart): boolean => text !== '' || media > 0;

function humanPart(content: Parameters<typeof blocksOf>[0]): HumanPart {
  const blocks = blocksOf(content);
  const texts = blocks.flatMap((block) => (block.type === 'text' ? [withoutReminders(block.text).trim()] : []));
  return {
    text: texts.filter(isUserText).join('\n'),
    media: blocks.filter((block) => block.type === 'image' || block.type === 'document').length,
  };
}

function withoutReminders(text: string): string {
  let rest = '';
  let from = 0;
  for (;;) {
    const open = text.indexOf(REMINDER_OPEN, from);
    const close = open === -1 ? -1 : text.indexOf(REMINDER_CLOSE, open);
    if (close === -1) return rest + text.slice(from);
    rest += text.slice(from, open);
    from = close + REMINDER_CLOSE.length;
  }
}

function toolOf({ messages }: Payload, { tool_use_id: id }: ToolResultBlock): string {
  for (const { content } of messages.slice(-2)) {
    const call = blocksOf(content).find((block) => block.type === 'tool_use' && block.id === id);
    if (call?.type === 'tool_use') return call.name;
  }
  return id;
}

function resultText({ content }: ToolResultBlock): string {
  const others = blocksOf(content).filter((block: ContentBlock) => block.type !== 'text').length;
  return [withoutReminders(textOf(content)).trim(), ...(others > 0 ? [`(and ${others} further blocks)`] : [])].filter((part) => part !== '').join(' ');
}
