import type { StoredMessage } from '../../../packages/protocol/message/message.js';
import { isObject, loose, type UnknownObject } from '../../../packages/protocol/message/unknown-json.js';
import type { SessionState } from '../../session/state/state.js';
import { isOnPath } from '../../session/state/tree.js';
import { keyOf, type SentMessage } from './sent-conversation.js';
import { SENT } from './stored-drafts.js';

/** How much of a client's history a session has. */
export interface Match {
  /** The last message that both have; null: none. */
  readonly after: string | null;
  /** How many messages of the client's history are stored. */
  readonly messages: number;
  /** Whether an answer of the model is among them. */
  readonly hasAnswer: boolean;
}

const keys = new WeakMap<StoredMessage, { readonly key: string | null }>();

/** Null: a client has no such message. */
function keyOfStored(message: StoredMessage): string | null {
  const known = keys.get(message);
  if (known) return known.key;
  const sent = sentForm(message);
  const key = sent === null ? null : keyOf(sent);
  keys.set(message, { key });
  return key;
}

/** The message as a client sends it, files by reference. */
export function sentForm(message: StoredMessage): UnknownObject | null {
  switch (message.type) {
    case 'user':
      return message.isVirtual ? null : { role: 'user', content: message.content };
    case 'assistant': {
      const { content, [SENT]: sent } = message.message;
      return message.isVirtual ? null : isObject(sent) && message.requestId === undefined ? sent : { role: 'assistant', content };
    }
    case 'attachment':
      return isObject(message.attachment[SENT]) ? message.attachment[SENT] : null;
    default:
      return null;
  }
}

/**
 * Follows the client's history through all branches of the session, from the message `from` on (null: from the beginning). Of several branches with the same messages, the current one is preferred, then
 * the newest.
 */
export function matchIn(state: SessionState, history: readonly Pick<SentMessage, 'key' | 'role'>[], from: string | null = null): Match {
  const children = childrenOf(state);
  const below = (parents: readonly (string | null)[]): readonly string[] =>
    parents.flatMap((parent) => children.get(parent) ?? []).flatMap((uuid) => (keyAt(state, uuid) === null ? below([uuid]) : [uuid]));
  let found: readonly (string | null)[] = [from];
  let messages = 0;
  for (const { key } of history) {
    const next = below(found).filter((uuid) => keyAt(state, uuid) === key);
    if (next.length === 0) break;
    found = next;
    messages += 1;
  }
  const after = found.find((uuid) => uuid !== null && isOnPath(state, uuid)) ?? found.at(-1) ?? null;
  return { after, messages, hasAnswer: history.slice(0, messages).some(({ role }) => role === 'assistant') };
}

/** Uuids of the client's messages after `from` up to `to`. */
export function matchedBelow(state: SessionState, from: string | null, to: string | null): readonly string[] {
  const found: string[] = [];
  for (let uuid = to; uuid !== null && uuid !== from; uuid = state.messages.get(uuid)?.message.parentUuid ?? null)
    if (state.messages.has(uuid) && keyAt(state, uuid) !== null) found.push(uuid);
  return found.reverse();
}

/** Whether the request was sent before and has no whole answer: the client tries again. */
export function isUnanswered(state: SessionState, { after }: Pick<Match, 'after'>): boolean {
  for (const { message } of state.messages.values())
    if (message.parentUuid === after && message.type === 'assistant' && message.message.stop_reason !== null) return false;
  return true;
}

/** A remark of the client is a block of its own. */
export const mayHaveRemark = ({ value: { content } }: Pick<SentMessage, 'value'>): boolean => Array.isArray(content) && content.length > 1;

/** Whether the session has a first message that this one begins with, up to white space at the ends of texts, and that has no whole answer. */
export function isBegunBy(state: SessionState, { role, value }: Pick<SentMessage, 'role' | 'value'>): boolean {
  const blocks = blockKeys(role, value['content']);
  for (const { message } of state.messages.values()) {
    const sent = message.parentUuid === null && role === 'user' ? sentForm(message) : null;
    if (sent?.['role'] !== role || !isUnanswered(state, { after: message.uuid })) continue;
    const first = blockKeys(role, sent['content']);
    if (first.length > 0 && first.length < blocks.length && first.every((key, at) => key === blocks[at])) return true;
  }
  return false;
}

function blockKeys(role: string, content: unknown): readonly string[] {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : Array.isArray(content) ? content.map(loose) : [];
  return blocks.map((block) => keyOf({ role, content: [typeof block['text'] === 'string' ? { ...block, text: block['text'].trimEnd() } : block] }));
}

function childrenOf({ messages }: SessionState): ReadonlyMap<string | null, readonly string[]> {
  const children = new Map<string | null, string[]>();
  for (const { message } of messages.values()) {
    const known = children.get(message.parentUuid);
    if (known) known.push(message.uuid);
    else children.set(message.parentUuid, [message.uuid]);
  }
  return children;
}

const keyAt = (state: SessionState, uuid: string): string | null => keyOfStored(state.messages.get(uuid)!.message);
