import type { ContentBlock } from '../protocol/message/content.js';
import type { Message } from '../protocol/message/message.js';
import type { TraceEntry } from '../protocol/request/trace-entry.js';
import { isMedia } from './media/media-block.js';
import { MessageSerializer } from './message-serializer.js';
import { applied, normalize, type Normalized } from './normalize.js';
import type { PassContext } from './pass.js';
import { capMedia } from './passes/cap-media.js';
import { isCitable, unifyCitations } from './passes/unify-citations.js';
import type { PayloadMessage } from './payload.js';
import { isAdded, type Working, type WorkingMessage } from './working-message.js';

/** A request that was sent, as far as the next one can continue it. */
export interface SentMessages {
  /** What it was made from. A message keeps its content as long as it has its uuid, but for erasures, after which a request is not continued. */
  readonly conversation: readonly Message[];
  readonly messages: readonly PayloadMessage[];
  readonly working: Working;
  /** What its messages depend on besides the conversation. Requests with other settings do not continue it. */
  readonly settings: string;
  /** Of each message, which stands for all up to it; empty where it is not known. */
  readonly digests: readonly string[];
  /** Whether its last message is one of the conversation that no answer follows: what is done with an answer at the end of a request is done for that request alone. */
  readonly endsWithUser: boolean;
  /** Whether it has files, documents or search results, of which a whole request is limited or must agree. */
  readonly hasMedia: boolean;
}

/** A payload that begins with the messages of the request before, as they were sent. */
export interface Continued extends Normalized {
  /** Number of messages of the conversation, and of the payload, that are kept of the request before. */
  readonly from: number;
  readonly keep: number;
  /** Of what comes after them. */
  readonly trace: readonly TraceEntry[];
  readonly hasMedia: boolean;
}

/**
 * The messages of the next request: those that were sent, and what the passes make of what came after them. When the last turn has grown, as by a prompt after one without
 * an answer, it is normalized again. Null when the passes would have to change a message before it, or to look at one: what was added is about earlier messages, answers an
 * earlier call, uses an id a second time, or exceeds a limit together with it. Then the whole conversation is normalized.
 */
export function continuePayload(
  sent: SentMessages,
  messages: readonly Message[],
  settings: string,
  context: PassContext,
  sha256: (text: string) => string,
): Continued | null {
  if (settings !== sent.settings || context.gates['tool-reference-relocation'] || !beginWith(messages, sent)) return null;
  const continued = continuedAfter(sent, messages, context, sha256);
  if (continued) return continued;
  const earlier = withoutLastTurn(sent);
  return earlier && continuedAfter(earlier, messages, context, sha256);
}

function continuedAfter(sent: SentMessages, messages: readonly Message[], context: PassContext, sha256: (text: string) => string): Continued | null {
  const added = addedTo(sent, messages);
  if (added === null) return null;
  const { signatures } = context;
  const end = normalize(added, {
    ...context,
    userContext: {},
    continues: true,
    ...(signatures ? { signatures: { ...signatures, serializer: new MessageSerializer(sha256, undefined, sent.digests.at(-1) ?? '') } } : {}),
  });
  if (!isSeparate(sent.working, end) || (end.working.length === 0 && !added.every(isForReaders))) return null;
  const working = [...sent.working, ...end.working];
  const hasMedia = sent.hasMedia || end.working.some(hasMediaIn);
  if (hasMedia && [capMedia, unifyCitations].some((pass) => applied(pass, working, context) !== working)) return null;
  const keep = sent.messages.length;
  return {
    messages: [...sent.messages, ...end.messages],
    working,
    trace: end.trace.map((entry) => (entry.target ? { ...entry, target: { ...entry.target, message: entry.target.message + keep } } : entry)),
    from: sent.conversation.length,
    keep,
    hasMedia,
  };
}

/** Whether a message has blocks of which a whole request is limited or must agree. */
export const hasMediaIn = ({ blocks }: WorkingMessage): boolean => blocks.some(({ block }) => isLimited(block) || innerOf(block).some(isLimited));

const isLimited = (block: ContentBlock): boolean => isCitable(block) || (block !== null && isMedia(block));

const innerOf = (block: ContentBlock): readonly ContentBlock[] => (block.type === 'tool_result' && Array.isArray(block.content) ? block.content : []);

function beginWith(messages: readonly Message[], { conversation }: SentMessages): boolean {
  if (messages.length < conversation.length) return false;
  // A message that was not recorded yet is another object afterwards.
  for (let at = conversation.length - 1; at >= 0; at -= 1) if (messages[at] !== conversation[at] && messages[at]!.uuid !== conversation[at]!.uuid) return false;
  return true;
}

/** The request up to the prompt before its last answer. Null: there is none, or an earlier message of the request has something of what comes after it. */
function withoutLastTurn(sent: SentMessages): SentMessages | null {
  const { conversation, messages, working, digests } = sent;
  const keep = working.findLastIndex(({ kind }) => kind === 'assistant');
  if (keep <= 0 || !digests[keep - 1]) return null;
  const later = new Set(working.slice(keep).flatMap(uuidsIn));
  let from = conversation.length;
  while (later.size > 0 && from > 0) later.delete(conversation[--from]!.uuid);
  const after = new Set(conversation.slice(from).map(({ uuid }) => uuid));
  const before = working.slice(0, keep);
  if (later.size > 0 || before.some((message) => uuidsIn(message).some((uuid) => after.has(uuid)))) return null;
  const last = before.at(-1)!;
  const kept = conversation.slice(0, from);
  return {
    ...sent,
    conversation: kept,
    messages: messages.slice(0, keep),
    working: before,
    digests: digests.slice(0, keep),
    endsWithUser: endsWithUser(kept, last),
  };
}

/** The stored messages that a message has something of. */
const uuidsIn = ({ blocks }: WorkingMessage): readonly string[] =>
  blocks.flatMap(({ sources }) => sources.flatMap((source) => (isAdded(source) ? [] : [source.uuid])));

/** Null: something in what was added decides what is done with earlier messages, or its beginning cannot be told from them. */
function addedTo({ conversation, endsWithUser: isComplete }: SentMessages, messages: readonly Message[]): readonly Message[] | null {
  if (!isComplete) return null;
  const added = messages.slice(conversation.length);
  return added.some(isAboutEarlier) || hasFragmentOf(conversation, added) ? null : added;
}

/** `last`: the last message of the request that was made of the conversation. */
export function endsWithUser(conversation: readonly Message[], last: WorkingMessage | undefined): boolean {
  if (last?.kind !== 'user' && last?.kind !== 'system') return false;
  const sources = new Set(uuidsIn(last));
  const newest = conversation.findLast(({ type, uuid }) => type === 'assistant' || sources.has(uuid));
  return newest !== undefined && newest.type !== 'assistant';
}

/** Whether a message decides what is done with messages before it. */
export const isAboutEarlier = (message: Message): boolean =>
  (message.type === 'system' && message.subtype === 'compact_boundary') ||
  'withdraws' in message ||
  (message.type === 'assistant' && (message.isApiErrorMessage === true || message.apiError !== undefined));

/** Whether an answer was stored in parts, of which one was sent already. */
function hasFragmentOf(conversation: readonly Message[], added: readonly Message[]): boolean {
  const ids = new Set<string>();
  for (const message of added) {
    if (isPrompt(message)) break;
    if (message.type === 'assistant') ids.add(message.message.id);
  }
  for (let at = conversation.length - 1; at >= 0 && ids.size > 0; at -= 1) {
    const message = conversation[at]!;
    if (message.type === 'assistant' && ids.has(message.message.id)) return true;
    if (isPrompt(message)) return false;
  }
  return false;
}

const isForReaders = ({ type }: Message): boolean => type !== 'user' && type !== 'assistant' && type !== 'attachment' && type !== 'system';

const isPrompt = (message: Message): boolean => message.type === 'user' && !message.isMeta && !hasResults(message.content);

const hasResults = (content: unknown): boolean => Array.isArray(content) && content.some((block: ContentBlock) => block?.type === 'tool_result');

/** Whether the end has nothing to do with what was sent: it begins with an answer, its results answer its own calls, and its ids are new. */
function isSeparate(sent: Working, { working, trace }: Normalized): boolean {
  const [first] = working;
  if (first !== undefined && first.kind !== 'assistant') return false;
  if (trace.some(({ action, pass }) => action === 'dropped' && PAIRING.has(pass)) || hasOpenServerCall(sent)) return false;
  const ids = new Set<string>();
  for (const { kind, blocks } of working) if (kind === 'assistant') for (const { block } of blocks) if (block.type === 'tool_use') ids.add(block.id);
  return ids.size === 0 || !sent.some((message) => hasCallOf(message, ids));
}

const PAIRING: ReadonlySet<string> = new Set(['pair-tool-results', 'pair-server-tools']);

function hasCallOf({ kind, blocks }: WorkingMessage, ids: ReadonlySet<string>): boolean {
  if (kind === 'assistant') for (const { block } of blocks) if (block.type === 'tool_use' && ids.has(block.id)) return true;
  return false;
}

/** The call of a server tool may have its result after user turns that have results only. */
function hasOpenServerCall(sent: Working): boolean {
  for (let at = sent.length - 1; at >= 0; at -= 1) {
    const { kind, blocks } = sent[at]!;
    if (kind === 'user' && blocks.some(({ block }) => block.type !== 'tool_result')) return false;
    if (kind === 'assistant' && blocks.some(({ block }) => (block.type as string) === 'server_tool_use')) return true;
  }
  return false;
}
