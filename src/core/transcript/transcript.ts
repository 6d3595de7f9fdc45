import { removedByCompactions } from '../compaction/segments.js';
import { blocksOf, type ContentBlock } from '../message/content.js';
import { blockUuid } from '../message/ids.js';
import type { StoredMessage, TombstoneMessage } from '../message/message.js';
import type { RewindRecord, SessionState } from '../session/state.js';
import { path } from '../session/tree.js';

export interface ReaderOptions {
  /** One block per message, each under its own uuid. */
  readonly split?: boolean;
  /** A tombstone where each rewind and each compaction that is still in force took messages out. */
  readonly tombstones?: boolean;
  /** Newest message of another branch than the one in force. */
  readonly head?: string | null;
}

/** The conversation as people read it, oldest first: the whole path in force, compacted parts too, without what is meant for the model alone. */
export function reader(state: SessionState, { split = false, tombstones = false, head = state.head }: ReaderOptions = {}): readonly StoredMessage[] {
  const messages = path(state, head).map((record) => record.message);
  const visible = (tombstones ? withTombstones(messages, state) : messages).filter((message) => message.type !== 'user' || !message.isMeta);
  return split ? splitBlocks(visible) : visible;
}

function withTombstones(messages: readonly StoredMessage[], state: SessionState): readonly StoredMessage[] {
  const onPath = new Set(messages.map((message) => message.uuid));
  const cuts = new Map<string | null, TombstoneMessage[]>();
  const add = (stone: TombstoneMessage): void => {
    const at = cuts.get(stone.parentUuid);
    if (at) at.push(stone);
    else cuts.set(stone.parentUuid, [stone]);
  };
  for (const { boundary, removed } of removedByCompactions(messages)) add(compacted(boundary, removed));
  for (const rewind of state.rewinds.values()) if (isInForce(rewind, onPath)) add(rewound(rewind));
  return [...(cuts.get(null) ?? []), ...messages.flatMap((message) => [message, ...(cuts.get(message.uuid) ?? [])])];
}

/** Its cut is on the path, and what it took out is not back. */
function isInForce({ data }: RewindRecord, onPath: ReadonlySet<string>): boolean {
  return data.removed.length > 0 && (data.to === null || onPath.has(data.to)) && !data.removed.some((uuid) => onPath.has(uuid));
}

/** Bears the id of the rewind, by which that can be undone. */
function rewound({ data, at }: RewindRecord): TombstoneMessage {
  return { type: 'tombstone', uuid: data.rewindId, parentUuid: data.to, timestamp: at, removed: data.removed };
}

/** What it names is still shown: it was taken out of the model's view alone. */
function compacted(boundary: StoredMessage, removed: readonly string[]): TombstoneMessage {
  const known = boundary.type === 'system' ? boundary.compactMetadata?.compactionId : undefined;
  const uuid = typeof known === 'string' ? known : blockUuid(boundary.uuid, 1);
  return { type: 'tombstone', uuid, parentUuid: boundary.uuid, timestamp: boundary.timestamp, removed, cause: 'compaction' };
}

/** A message of one block, or of none, stays what it is. The parts of another hang one below the other, and what follows hangs below the last. */
export function splitBlocks(messages: readonly StoredMessage[]): readonly StoredMessage[] {
  const lastPart = new Map<string, string>();
  return messages.flatMap((message) => {
    const parentUuid = message.parentUuid === null ? null : (lastPart.get(message.parentUuid) ?? message.parentUuid);
    const blocks = blocksIn(message);
    if (blocks.length < 2) return [parentUuid === message.parentUuid ? message : { ...message, parentUuid }];
    const uuids = blocks.map((_, index) => blockUuid(message.uuid, index));
    lastPart.set(message.uuid, uuids.at(-1) as string);
    return blocks.map((block, index) => part(message, block, uuids[index] as string, uuids[index - 1] ?? parentUuid));
  });
}

function blocksIn(message: StoredMessage): readonly ContentBlock[] {
  if (message.type === 'user') return blocksOf(message.content);
  return message.type === 'assistant' ? message.message.content : [];
}

function part(message: StoredMessage, block: ContentBlock, uuid: string, parentUuid: string | null): StoredMessage {
  if (message.type === 'assistant') return { ...message, uuid, parentUuid, message: { ...message.message, content: [block] } };
  return { ...message, uuid, parentUuid, content: [block] } as StoredMessage;
}
