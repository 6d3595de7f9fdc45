import { contentBlocksOf } from '../message/message-content.js';
import { type ContentBlock } from '../message/content.js';
import type { Message } from '../message/message.js';
import type { PayloadMessage } from './payload.js';

/** A block of a stored message: its place there, by which the trace names it. */
export interface Source {
  readonly uuid: string;
  readonly index: number;
}

/**
 * A block on its way into the payload. `block` is the stored object itself until a pass puts another in its place; `sources` says where it comes from
 * and is handed on from version to version. What a pass made up has a source of its own, which is no message's.
 */
export interface WorkingBlock {
  readonly block: ContentBlock;
  readonly sources: readonly Source[];
}

/** `reader`: entries that readers alone see, such as tombstones. */
export type WorkingKind = 'user' | 'assistant' | 'attachment' | 'system' | 'reader';

/** A message on its way into the payload. A message of merged parts keeps the first part's `original`; one that was made up has none. */
export interface WorkingMessage {
  readonly kind: WorkingKind;
  readonly original: Message | null;
  readonly blocks: readonly WorkingBlock[];
}

export type Working = readonly WorkingMessage[];

/** Wraps the transcript, once. Contents are referred to, never copied. */
export function lift(messages: readonly Message[]): Working {
  return messages.map(liftOne);
}

export function liftOne(message: Message): WorkingMessage {
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
  const { uuid } = message;
  const content = contentBlocksOf(message);
  const blocks = new Array<WorkingBlock>(content.length);
  for (let index = 0; index < content.length; index += 1) blocks[index] = { block: content[index] as ContentBlock, sources: [{ uuid, index }] };
  return blocks;
}

/** The same block with other content. */
export function changed(before: WorkingBlock, block: ContentBlock): WorkingBlock {
  return { block, sources: before.sources };
}

/** A block that stands in no stored message. */
export function made(block: ContentBlock): WorkingBlock {
  return { block, sources: [{ uuid: NOWHERE, index: 0 }] };
}

/** As it is sent. */
export function payloadMessage({ kind, blocks }: WorkingMessage): PayloadMessage {
  return { role: kind === 'assistant' ? 'assistant' : 'user', content: blocks.map(({ block }) => block) };
}

export const isMade = ({ uuid }: Source): boolean => uuid === NOWHERE;

const NOWHERE = '';

export function withBlocks(message: WorkingMessage, blocks: readonly WorkingBlock[]): WorkingMessage {
  return blocks === message.blocks ? message : { ...message, blocks };
}

/** Replaces items, or takes them out where `change` answers null. The list itself comes back when nothing changed, and is copied only from the first change on. */
export function mapped<T, C>(items: readonly T[], change: (item: T, context: C, index: number) => T | null, context: C): readonly T[] {
  let result: T[] | null = null;
  for (let index = 0; index < items.length; index += 1) {
    const before = items[index] as T;
    const after = change(before, context, index);
    if (result === null && after !== before) result = items.slice(0, index);
    if (result !== null && after !== null) result.push(after);
  }
  return result ?? items;
}
