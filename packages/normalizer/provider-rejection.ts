import type { ContentBlock } from '../protocol/message/content.js';
import type { ApiError, Message } from '../protocol/message/message.js';
import { contentBlocksOf } from '../protocol/message/message-content.js';
import { loose } from '../protocol/message/unknown-json.js';
import type { ErrorDetails } from './models/model-answer.js';
import type { BuiltPayload } from './build-payload.js';

/** Error texts that name a fault of a file without naming the file (docs: Errors; PDF support; Vision). */
const FILE_TEXTS: readonly (readonly [text: RegExp, error: ApiError])[] = [
  [/password protected/i, 'pdf_password_protected'],
  [/PDF specified was not valid|PDF cannot be empty/i, 'pdf_invalid'],
  [/maximum of \d+ PDF pages/i, 'pdf_too_large'],
  [/image exceeds|image dimensions exceed/i, 'image_too_large'],
];

/** In texts, the path has the type of the block; in `paths` it has not. */
const POSITION = /\bmessages\.(\d+)\.content\.(\d+)(?:\.(?:tool_result\.)?content\.(\d+))?/g;

/** Codes of errors that are about the request, the account or the service: nothing that could be left out is their cause. */
const ABOUT_NO_CONTENT =
  /^(?:compaction|thread|user_profile|request_body|organization|claude_code|cmek|sandbox|ramp_limit|workspace)_|organization_|_spend_limit_|^(?:tool_name_conflict|available_tools_limit_exceeded|unsupported_charset)$/;

/** A provider error. Its code decides, then its text. */
export interface ProviderError {
  readonly status: number | null;
  readonly message: string;
  readonly details?: ErrorDetails | null;
}

/** Whether its code says that nothing in the messages is the cause, whatever its text names. */
export const isAboutNoContent = ({ details }: Pick<ProviderError, 'details'>): boolean => ABOUT_NO_CONTENT.test(details?.errorCode ?? '');

type Sent = Pick<BuiltPayload, 'payload' | 'trace'>;

/**
 * The parts of the conversation that a provider error is about: the stored blocks at all positions that it names, or a kind of file.
 * `sent` is the rejected request, null when it is unknown; `messages` are those it was built from. Empty when the error names nothing in the conversation, so that leaving something out would be a guess.
 */
export function rejectedParts(error: ProviderError, sent: Sent | null, messages: readonly Message[] = []): readonly ApiError[] {
  const { status, message, details } = error;
  if (status === 413) return ['request_too_large'];
  if (status !== 400 || isAboutNoContent(error)) return [];
  const named = details?.paths ?? [message];
  const places = new Map(named.flatMap((text) => [...text.matchAll(POSITION)]).map((found) => [found[0], found]));
  const parts = [...places.values()].flatMap(([, turn, block, inner]) => rejectedAt(Number(turn), Number(block), Number(inner), sent, messages));
  if (parts.length > 0) return unique(parts);
  if (details?.errorCode === 'image_dimensions_too_large') return ['image_too_large'];
  const kind = FILE_TEXTS.find(([known]) => known.test(message))?.[1];
  return kind === undefined ? [] : [kind];
}

const unique = (parts: readonly ApiError[]): readonly ApiError[] => [...new Map(parts.map((part) => [JSON.stringify(part), part])).values()];

/** The stored block at a position of the request; `inner` NaN: not one inside a tool result. */
function rejectedAt(turn: number, block: number, inner: number, sent: Sent | null, messages: readonly Message[]): readonly ApiError[] {
  const found = sent?.trace.find(({ source, target }) => source && target?.message === turn && target.block === block);
  if (!found?.source) return [];
  const { uuid, index } = found.source;
  const rejected = innerBlocks(sent?.payload.messages[turn]?.content[block])[inner];
  const stored = messages.find((one) => one.uuid === uuid);
  const at = rejected && stored ? innerBlocks(contentBlocksOf(stored)[index]).findIndex((one) => isSameContent(one, rejected)) : -1;
  return [{ type: 'block_rejected', blockUuid: uuid, index, ...(at < 0 ? {} : { inner: at }) }];
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
