import { isAscii, isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { DomainError } from '../../../packages/protocol/errors.js';
import { mapInlineBytes } from '../../../packages/normalizer/media/out-of-line.js';
import type { Json } from '../../../packages/protocol/message/content.js';
import { isObject, loose, type UnknownObject } from '../../../packages/protocol/message/unknown-json.js';
import { canonicalMessage } from '../../../packages/protocol/request/canonical.js';
import { Pace } from '../../engine/queries/pace.js';
import { type BodyParts, bodyParts, shortDigest } from './body-parts.js';
import { withoutThread } from './thread-texts.js';

/** A request to the Messages API as a client sent it. */
export interface SentConversation {
  readonly text: string;
  /** Of `text`. */
  readonly parts: BodyParts;
  readonly model: string;
  readonly maxTokens: number;
  /** The system prompt, without what Claude Code writes into it about its version. */
  readonly system: string | null;
  /** `metadata.user_id`. */
  readonly userId: string | null;
  readonly messages: readonly SentMessage[];
  /** How it is part of a message thread; null: it is of none. */
  readonly thread: SentThread | null;
}

/** The member `thread` of a request. Without it, `text` is what the model API gets. */
export type SentThread = {
  /** The body as it came. */
  readonly received: string;
} & (
  | { readonly type: 'create' }
  | {
      readonly type: 'continue';
      /** The id of the answer that it continues. */
      readonly previous: string;
      /** The request that this answer has answered; null: not looked up yet, and the messages are only those of the client. */
      readonly of: string | null;
    }
);

export interface SentMessage {
  readonly role: string;
  /** As it was parsed. */
  readonly value: UnknownObject;
  /** The same for each way in which clients write the message. */
  readonly key: string;
}

const BILLING = 'x-anthropic-billing-header:';

/** Other work runs after so many characters. */
const AT_ONCE = 256 * 1024;

/** Null: it is no object or has no messages, so that the model API refuses it. Throws invalid_input for bytes that others may read otherwise than we do: an answer to them would have no record. */
export async function readConversation(bytes: Buffer): Promise<SentConversation | null> {
  // Without other characters the bytes need no decoding, which takes longer than parsing them.
  const text = isAscii(bytes) ? bytes.toString('latin1') : bytes.toString();
  if (text.startsWith('\ufeff') || !isUtf8(bytes)) throw new DomainError('invalid_input', 'The request body must be JSON in UTF-8 without a byte order mark.');
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    if (error instanceof RangeError) throw new DomainError('invalid_input', 'The request body is nested too deeply.');
    // Some parsers read more than JSON, such as NaN or UTF-16: of what has no braces around it they make no object either.
    if (!/^\s*\{[^]*\}\s*$/.test(text.replaceAll('\0', ''))) return null;
    throw new DomainError('invalid_input', `The request body is not valid JSON: ${String(loose(error)['message']).slice(0, 200)}`);
  }
  const thread = isObject(body) ? threadIn(body, text) : null;
  if (!isObject(body) || !isMessages(body['messages']) || (body['messages'].length === 0 && thread?.type !== 'continue')) {
    if (thread) throw new DomainError('invalid_input', 'messages: a list of messages is required, and one message at least unless an answer is continued.');
    return null;
  }
  const { model, max_tokens: maxTokens, system, metadata } = body;
  const { user_id: userId } = loose(metadata);
  const sent = thread?.type === 'create' ? withoutThread(text) : text;
  const parts = await bodyParts(sent, new Pace());
  return {
    text: sent,
    parts,
    thread,
    model: typeof model === 'string' ? model : '',
    maxTokens: typeof maxTokens === 'number' && Number.isSafeInteger(maxTokens) ? maxTokens : 0,
    system: systemText(system),
    userId: typeof userId === 'string' ? userId : null,
    messages: await keyed(body['messages'], text.length, parts.messages),
  };
}

const isMessages = (value: unknown): value is readonly UnknownObject[] => Array.isArray(value) && value.every(isObject);

/** Throws invalid_input for a thread that neither begins nor names an answer. */
function threadIn(body: UnknownObject, received: string): SentThread | null {
  const { thread } = body;
  if (!isObject(thread)) return null;
  const { type, previous_message_id: previous } = thread;
  if (type === 'create') return { type, received };
  if (type === 'continue' && typeof previous === 'string') return { type, received, previous, of: null };
  throw new DomainError('invalid_input', 'thread: must be {"type": "create"}, or {"type": "continue", "previous_message_id": "…"} with the id of an answer.');
}

/** Keys of messages that were met before, by the digest of their text: a client sends them with each request. */
const knownKeys = new Map<string, string>();

/** Messages of which the key is known: some 20 MB of memory. */
const KNOWN_KEYS = 100_000;

function knownKey(digest: string, value: UnknownObject): string {
  const known = knownKeys.get(digest);
  if (known !== undefined) return known;
  const key = keyOf(value);
  if (knownKeys.size >= KNOWN_KEYS) knownKeys.delete(knownKeys.keys().next().value!);
  knownKeys.set(digest, key);
  return key;
}

/** `digests`: of the messages as they are written. */
async function keyed(values: readonly UnknownObject[], characters: number, digests: readonly string[]): Promise<readonly SentMessage[]> {
  const each = Math.max(1, Math.floor((values.length * AT_ONCE) / characters));
  const messages: SentMessage[] = [];
  try {
    for (const [index, value] of values.entries()) {
      messages.push({ role: String(value['role']), value, key: knownKey(digests[index]!, value) });
      if (index % each === each - 1) await setImmediate();
    }
  } catch (error) {
    if (error instanceof RangeError) throw new DomainError('invalid_input', 'A message of the request is nested too deeply.');
    throw error;
  }
  return messages;
}

function systemText(system: unknown): string | null {
  const texts = typeof system === 'string' ? [system] : Array.isArray(system) ? system.map((block) => String(loose(block)['text'] ?? '')) : [];
  const text = texts.filter((one) => one !== '' && !one.startsWith(BILLING)).join('\n\n');
  return text === '' ? null : text;
}

/** By what a message is known again. Clients give an answer back as they keep it, with or without its thinking and citations, so of an answer only texts and calls count. */
export function keyOf(message: UnknownObject): string {
  const { role, content } = message;
  if (role === 'assistant') {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : Array.isArray(content) ? content.map(loose) : [];
    const texts = blocks.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []));
    const calls = blocks.flatMap(({ type, id }) => (type === 'tool_use' ? [String(id)] : []));
    if (calls.length > 0 || texts.some((text) => text.trim() !== '')) return shortDigest(JSON.stringify([texts.join('').trim(), calls]));
  }
  return shortDigest(canonicalMessage(withNamedBytes(message)));
}

/** Bytes of files by their hash, in place of the bytes or of the reference to where they are stored. Returns the same message when it has none. */
function withNamedBytes(message: UnknownObject): UnknownObject {
  if (typeof message['content'] === 'string') return message;
  return nameOnly(mapInlineBytes(message as Json, ({ base64 }) => ({ type: 'blob', media_type: '', sha256: hashOfBase64(base64), bytes: 0 }))) as UnknownObject;
}

function nameOnly(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(nameOnly);
    return items.every((item, index) => item === value[index]) ? (value as unknown) : items;
  }
  if (!isObject(value)) return value;
  if (value['type'] === 'blob' && typeof value['sha256'] === 'string') return { type: 'blob', sha256: value['sha256'] };
  const members = Object.values(value);
  const named = members.map(nameOnly);
  return named.every((member, index) => member === members[index]) ? value : Object.fromEntries(Object.keys(value).map((name, index) => [name, named[index]]));
}

const hashOfBase64 = (base64: string): string => hash('sha256', Buffer.from(base64, 'base64'));
