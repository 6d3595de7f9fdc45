import type { ContentBlock } from '../protocol/message/content.js';
import type { Message } from '../protocol/message/message.js';
import type { TraceEntry } from '../protocol/request/trace-entry.js';
import { isMedia } from './media/media-block.js';
import { MessageSerializer } from './message-serializer.js';
import { normalize, type Normalized } from './normalize.js';
import type { PassContext } from './pass.js';
import { capMedia } from './passes/cap-media.js';
import { isCitable, unifyCitations } from './passes/unify-citations.js';
import type { PayloadMessage } from './payload.js';
import type { Working, WorkingMessage } from './working-message.js';

/** A request that was sent, as far as the next one can continue it. */
export interface SentMessages {
  /** What it was made from. A message keeps its content as long as it has its uuid, but for erasures, after which a request is not continued. */
  readonly conversation: readonly Message[];
  readonly messages: readonly PayloadMessage[];
  readonly working: Working;
  /** What its messages depend on besides the conversation. Requests with other settings do not continue it. */
  readonly settings: string;
  /** Digest of the last message, which stands for all of them; empty without messages. */
  readonly digest: string;
  /** Whether its last message is one of the conversation that no answer follows: what is done with an answer at the end of a request is done for that request alone. */
  readonly endsWithUser: boolean;
  /** Whether it has files, documents or search results, of which a whole request is limited or must agree. */
  readonly hasMedia: boolean;
}

/** A payload that begins with the messages of the request before, as they were sent. */
export interface Continued extends Normalized {
  /** Number of messages of the conversation, and of the payload, that belong to the request before. */
  readonly from: number;
  readonly keep: number;
  /** Of what comes after them. */
  readonly trace: readonly TraceEntry[];
  readonly hasMedia: boolean;
}

/**
 * The messages of the next request: those that were sent, and what the passes make of what came after them. Null when the passes would have to change a message that was
 * sent, or to look at one: what was added is about earlier messages, does not begin with the answer, answers an earlier call, uses an id a second time, or exceeds a limit
 * together with it. Then the whole conversation is normalized.
 */
export function continuePayload(
  sent: SentMessages,
  messages: readonly Message[],
  settings: string,
  context: PassContext,
  sha256: (text: string) => string,
): Continued | null {
  const added = addedTo(sent, messages, settings);
  if (added === null || context.gates['tool-reference-relocation']) return null;
  const { signatures } = context;
  const end = normalize(added, {
    ...context,
    userContext: {},
    continues: true,
    ...(signatures ? { signatures: { ...signatures, serializer: new MessageSerializer(sha256, undefined, sent.digest) } } : {}),
  });
  if (!isSeparate(sent.working, end) || (end.working.length === 0 && !added.every(isForReaders))) return null;
  const working = [...sent.working, ...end.working];
  const hasMedia = sent.hasMedia || end.working.some(hasMediaIn);
  if (hasMedia && [capMedia, unifyCitations].some((pass) => pass.apply(working, context) !== working)) return null;
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

/** Null: the conversation does not extend the one of the request, or something in it decides what is done with earlier messages. */
function addedTo({ conversation, endsWithUser, settings: earlier }: SentMessages, messages: readonly Message[], settings: string): readonly Message[] | null {
  if (!endsWithUser || settings !== earlier || messages.length < conversation.length) return null;
  // A message that was not recorded yet is another object afterwards.
  for (let at = conversation.length - 1; at >= 0; at -= 1) if (messages[at] !== conversation[at] && messages[at]!.uuid !== conversation[at]!.uuid) return null;
  const added = messages.slice(conversation.length);
  return added.some(isAboutEarlier) || hasFragmentOf(conversation, added) ? null : added;
}

/** `sources`: of the last message of a request, the messages that are in it. */
export function endsWithUser(conversation: readonly Message[], role: string | undefined, sources: ReadonlySet<string>): boolean {
  if (role !== 'user') return false;
  const last = conversation.findLast(({ type, uuid }) => type === 'assistant' || sources.has(uuid));
  return last !== undefined && last.type !== 'assistant';
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
    if (message.type === 'user' && !message.isMeta) break;
    if (message.type === 'assistant') ids.add(message.message.id);
  }
  for (let at = conversation.length - 1; at >= 0 && ids.size > 0; at -= 1) {
    const message = conversation[at]!;
    if (message.type === 'assistant' && ids.has(message.message.id)) return true;
    if (message.type === 'user' && !message.isMeta && !hasResults(message.content)) return false;
  }
  return false;
}

const isForReaders = ({ type }: Message): boolean => type !== 'user' && type !== 'assistant' && type !== 'attachment' && type !== 'system';

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
