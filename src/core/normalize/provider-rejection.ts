import type { ContentBlock } from '../message/content.js';
import type { ApiError, Message } from '../message/message.js';
import { contentBlocksOf } from '../message/message-content.js';
import { loose } from '../message/unknown-json.js';
import type { BuiltPayload } from './build-payload.js';

/** Error texts that name a fault of a file without naming the file (docs: Errors; PDF support; Vision). */
const FILE_TEXTS: readonly (readonly [text: RegExp, error: ApiError])[] = [
  [/password protected/i, 'pdf_password_protected'],
  [/PDF specified was not valid|PDF cannot be empty/i, 'pdf_invalid'],
  [/maximum of \d+ PDF pages/i, 'pdf_too_large'],
  [/image exceeds|image dimensions exceed/i, 'image_too_large'],
];

const POSITION = /\bmessages\.(\d+)\.content\.(\d+)(?:\.tool_result\.content\.(\d+))?/;

/**
 * The part of the conversation that a provider error (status and text) is about: the stored block at the position named in the text, or a kind of file.
 * `sent` is the rejected request, null when it is unknown; `messages` are those it was built from. Null when the error names nothing in the conversation, so that leaving something out would be a guess.
 */
export function rejectedPart(
  status: number | null,
  text: string,
  sent: Pick<BuiltPayload, 'payload' | 'trace'> | null,
  messages: readonly Message[] = [],
): ApiError | null {
  if (status === 413) return 'request_too_large';
  if (status !== 400) return null;
  const [, message, block, inner] = POSITION.exec(text) ?? [];
  if (message !== undefined) {
    const found = sent?.trace.find(({ source, target }) => source && target?.message === Number(message) && target.block === Number(block));
    if (found?.source) {
      const { uuid, index } = found.source;
      const rejected = innerBlocks(sent?.payload.messages[Number(message)]?.content[Number(block)])[Number(inner)];
      const stored = messages.find((one) => one.uuid === uuid);
      const at = rejected && stored ? innerBlocks(contentBlocksOf(stored)[index]).findIndex((one) => isSameContent(one, rejected)) : -1;
      return { type: 'block_rejected', blockUuid: uuid, index, ...(at < 0 ? {} : { inner: at }) };
    }
  }
  return FILE_TEXTS.find(([known]) => known.test(text))?.[1] ?? null;
}

const innerBlocks = (block: ContentBlock | undefined): readonly ContentBlock[] =>
  block?.type === 'tool_result' && Array.isArray(block.content) ? block.content : [];

/** Passes remove members of a block and correct media types; the data of a file and the text of a block stay. */
function isSameContent(stored: ContentBlock, sent: ContentBlock): boolean {
  if (stored?.type !== sent.type) return false;
  const [one, other] = [stored, sent].map((block) => loose(block));
  const [data, sentData] = [loose(one?.['source'])['data'], loose(other?.['source'])['data']];
  return sentData === undefined
    ? one?.['text'] === other?.['text'] && JSON.stringify(one?.['source']) === JSON.stringify(other?.['source'])
    : data === sentData;
}
