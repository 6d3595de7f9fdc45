import { removedByCompactions } from '../../../packages/normalizer/segments.js';
import { type Author, authorOf } from './author.js';
import { asVisible } from './visible.js';
import { blocksOf, type ContentBlock } from '../../../packages/protocol/message/content.js';
import { blockUuid } from '../../../packages/protocol/message/ids.js';
import type { StoredMessage, TombstoneMessage, UserMessage } from '../../../packages/protocol/message/message.js';
import type { RewindRecord, SessionState } from '../state/state.js';
import { path } from '../state/tree.js';
import { withTurnNotes } from './turn-notes.js';

export interface ReaderOptions {
  /** One block per message, each with its own uuid. */
  readonly split?: boolean;
  /** Insert a tombstone where a rewind or compaction that is still in effect removed messages. */
  readonly tombstones?: boolean;
  /** Insert what the log says about turns and their calls, see `withTurnNotes`. */
  readonly notes?: boolean;
  /** Newest message of another branch than the current one. */
  readonly head?: string | null;
}

export type TranscriptMessage = StoredMessage & { readonly by: Author };

/** The transcript, oldest first: the current path including compacted parts, without what only the model reads, each message with its author. */
export function readTranscript(
  state: SessionState,
  { split = false, tombstones = false, notes = false, head = state.head }: ReaderOptions = {},
): readonly TranscriptMessage[] {
  const messages = path(state, head).map((record) => record.message);
  const noted = notes ? withTurnNotes(messages, state) : messages;
  const marked = tombstones ? withTombstones(noted, state) : noted;
  const authored = marked.map((message) => withAuthor(message, state));
  return (split ? splitBlocks(authored) : authored).flatMap((message) => asVisible(message) ?? []);
}

/** The message with its author. */
export function withAuthor(message: StoredMessage, state: SessionState): TranscriptMessage {
  return { ...message, by: authorOf(message, userOf(message, state)) };
}

function userOf(message: StoredMessage, state: SessionState): string | null {
  return state.messages.get(message.uuid)?.userId ?? state.rewinds.get(message.uuid)?.by ?? null;
}

function withTombstones(messages: readonly StoredMessage[], state: SessionState): readonly StoredMessage[] {
  const onPath = new Set(messages.map((message) => message.uuid));
  const cuts = new Map<string | null, TombstoneMessage[]>();
  const add = (tombstone: TombstoneMessage): void => {
    const at = cuts.get(tombstone.parentUuid);
    if (at) at.push(tombstone);
    else cuts.set(tombstone.parentUuid, [tombstone]);
  };
  for (const { boundary, removed } of removedByCompactions(messages)) add(compactionTombstone(boundary, removed));
  for (const rewind of state.rewinds.values()) if (isInEffect(rewind, onPath)) add(rewindTombstone(rewind));
  return [...(cuts.get(null) ?? []), ...messages.flatMap((message) => [message, ...(cuts.get(message.uuid) ?? [])])];
}

/** The rewind's target is on the path, and no removed message is back on it. */
function isInEffect({ data }: RewindRecord, onPath: ReadonlySet<string>): boolean {
  return data.removed.length > 0 && (data.to === null || onPath.has(data.to)) && !data.removed.some((uuid) => onPath.has(uuid));
}

/** Its uuid is the id of the rewind, which can be restored by it. */
function rewindTombstone({ data, at }: RewindRecord): TombstoneMessage {
  return { type: 'tombstone', uuid: data.rewindId, parentUuid: data.to, timestamp: at, removed: data.removed };
}

/** The removed messages stay in the transcript; only the model no longer reads them. */
function compactionTombstone(boundary: StoredMessage, removed: readonly string[]): TombstoneMessage {
  const known = boundary.type === 'system' ? boundary.compactMetadata?.compactionId : undefined;
  const uuid = typeof known === 'string' ? known : blockUuid(boundary.uuid, 1);
  return { type: 'tombstone', uuid, parentUuid: boundary.uuid, timestamp: boundary.timestamp, removed, cause: 'compaction' };
}

/** Splits messages of several blocks into one message per block. Parts form a chain of parents; the next message follows the last part. */
export function splitBlocks<M extends StoredMessage>(messages: readonly M[]): readonly M[] {
  const lastPart = new Map<string, string>();
  return messages.flatMap((message) => {
    const parentUuid = message.parentUuid === null ? null : (lastPart.get(message.parentUuid) ?? message.parentUuid);
    const blocks = blocksIn(message);
    if (blocks.length < 2) return [parentUuid === message.parentUuid ? message : { ...message, parentUuid }];
    const uuids = blocks.map((_, index) => blockUuid(message.uuid, index));
    lastPart.set(message.uuid, uuids.at(-1) as string);
    const pastes = pasteIds(message, blocks);
    return blocks.map((block, index) => part(message, block, { uuid: uuids[index] as string, parentUuid: uuids[index - 1] ?? parentUuid }, pastes.get(index)));
  });
}

/** The blocks that `splitBlocks` splits a message into; fewer than two: it stays whole. */
export function blocksIn(message: StoredMessage): readonly ContentBlock[] {
  if (message.type === 'user') return blocksOf(message.content);
  return message.type === 'assistant' ? message.message.content : [];
}

/** Paste numbers by index of the block: pasted images are the last images of a message. */
function pasteIds(message: StoredMessage, blocks: readonly ContentBlock[]): ReadonlyMap<number, number> {
  const ids = message.type === 'user' ? (message.imagePasteIds ?? []) : [];
  const images = blocks.flatMap(({ type }, index) => (type === 'image' ? [index] : []));
  const first = Math.max(images.length - ids.length, 0);
  return new Map(ids.flatMap((id, at) => (images[first + at] === undefined ? [] : [[images[first + at]!, id] as const])));
}

type Place = Pick<StoredMessage, 'uuid' | 'parentUuid'>;

function part<M extends StoredMessage>(message: M, block: ContentBlock, place: Place, pasteId: number | undefined): M {
  if (message.type === 'assistant') return { ...message, ...place, message: { ...message.message, content: [block] } };
  const { imagePasteIds: _, ...rest } = message as StoredMessage as UserMessage;
  return { ...rest, ...place, content: [block], ...(pasteId === undefined ? {} : { imagePasteIds: [pasteId] }) } as StoredMessage as M;
}
