import { contentBlocksOf } from '../protocol/message/message-content.js';
import { type ContentBlock } from '../protocol/message/content.js';
import { noteStoredTexts } from '../protocol/message/written-input.js';
import type { Message } from '../protocol/message/message.js';
import type { SentMessage } from '../protocol/request/sent-body.js';
import type { PayloadMessage } from './payload.js';

/** Identifies a block of a stored message in the trace. */
export interface Source {
  readonly uuid: string;
  readonly index: number;
}

/**
 * A block between transcript and payload. `block` is the stored object until a pass replaces it; `sources` names the stored blocks it comes from and is
 * copied from version to version. A block that a pass added has a separate source object, which names no message.
 */
export interface WorkingBlock {
  readonly block: ContentBlock;
  readonly sources: readonly Source[];
  /** Of the text of an attachment: id of the tool call that it is about. */
  readonly about?: string;
  /** It is sent in a message of the role `system` where one can stand: as it is, or without the tags of a reminder. Absent: in the role of its message. */
  readonly system?: 'as-it-is' | 'without-tags';
}

/** `system`: entries of the system as they are stored, which are not sent, and at the end of the pipeline messages of that role. `reader`: entries shown to readers only, such as tombstones. */
export type WorkingKind = 'user' | 'assistant' | 'attachment' | 'system' | 'reader';

/** A message between transcript and payload. A merged message keeps the `original` of its first part; an added message has none. */
export interface WorkingMessage {
  readonly kind: WorkingKind;
  readonly original: Message | null;
  readonly blocks: readonly WorkingBlock[];
}

export type Working = readonly WorkingMessage[];

/** Wraps stored messages. Content is referenced, never copied. */
export function lift(messages: readonly Message[]): Working {
  return messages.map(liftOne);
}

export function liftOne(message: Message): WorkingMessage {
  noteStoredTexts(message);
  return { kind: kindOf(message), original: message, blocks: liftBlocks(message) };
}

function kindOf(message: Message): WorkingKind {
  switch (message.type) {
    case 'user':
    case 'assistant':
    case 'attachment':
    case 'system':
      return message.type;
    default:
      return 'reader';
  }
}

function liftBlocks(message: Message): readonly WorkingBlock[] {
  const content = contentBlocksOf(message);
  const blocks = new Array<WorkingBlock>(content.length);
  for (let index = 0; index < content.length; index += 1) blocks[index] = new StoredBlock(content[index] as ContentBlock, message.uuid, index);
  return blocks;
}

/** A block as it is stored, which is its own source: a long conversation has one of these for each block, and a list and a name for each would be most of what is kept of them. */
class StoredBlock implements WorkingBlock, Source {
  constructor(
    readonly block: ContentBlock,
    readonly uuid: string,
    readonly index: number,
  ) {}

  get sources(): readonly Source[] {
    return [this];
  }
}

/** A new version of a block. */
export function changed({ sources, about, system }: WorkingBlock, block: ContentBlock): WorkingBlock {
  if (about === undefined && system === undefined) return { block, sources };
  return { block, sources, ...(about === undefined ? {} : { about }), ...(system === undefined ? {} : { system }) };
}

/** A block that comes from no stored message. */
export function added(block: ContentBlock): WorkingBlock {
  return { block, sources: [{ uuid: NO_MESSAGE, index: 0 }] };
}

/** The message as it is sent. Its content is the stored list when the passes have left all of it. */
export function payloadMessage({ kind, original, blocks }: WorkingMessage): PayloadMessage {
  const stored = original === null ? [] : contentBlocksOf(original);
  const isStored = stored.length === blocks.length && blocks.every(({ block }, index) => block === stored[index]);
  return { role: roleOf(kind), content: isStored ? stored : blocks.map(({ block }) => block) };
}

/** The role of a message that is sent. */
export const roleOf = (kind: WorkingKind): SentMessage['role'] => (kind === 'assistant' || kind === 'system' ? kind : 'user');

export const isAdded = ({ uuid }: Source): boolean => uuid === NO_MESSAGE;

const NO_MESSAGE = '';

export function withBlocks(message: WorkingMessage, blocks: readonly WorkingBlock[]): WorkingMessage {
  return blocks === message.blocks ? message : { ...message, blocks };
}
