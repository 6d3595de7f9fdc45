import { type BuiltPayload, type PayloadInput, sentMessages } from '../../../packages/normalizer/build-payload.js';
import { type SentMessages } from '../../../packages/normalizer/continue-payload.js';
import { comparePrefix } from '../../../packages/normalizer/prefix.js';
import { roleOf, type Working, type WorkingBlock } from '../../../packages/normalizer/working-message.js';
import type { ContentBlock } from '../../../packages/protocol/message/content.js';
import { contentBlocksOf } from '../../../packages/protocol/message/message-content.js';
import type { Message } from '../../../packages/protocol/message/message.js';
import { blockText, noteInputs } from '../../../packages/protocol/message/written-input.js';
import type { TraceEntry } from '../../../packages/protocol/request/trace-entry.js';
import { enabledGates } from '../../../packages/protocol/gates.js';
import { problemsOf } from './payload-problems.js';
import type { RecordedMessages, SentRequests } from './sent-requests.js';
import type { SessionState } from '../../session/state/state.js';

/**
 * The last request of a session as the log has it, for the next one to continue; `whole` is what this build makes of the whole conversation. Null when that begins with
 * what was sent, when the model API refused that, or when something else than the build is the reason: another model, other gates, tools, texts, or a conversation that was not extended.
 */
export async function recordedMessages(state: SessionState, input: PayloadInput, whole: BuiltPayload, requests: SentRequests): Promise<RecordedSent | null> {
  const { lastSent } = state;
  const record = state.requests.get(lastSent?.request.requestId ?? '');
  if (!lastSent?.conversation || !record || comparePrefix(lastSent.digests, whole.prefixDigests).brokenAt === undefined) return null;
  if (record.error?.status === REFUSED) return null;
  // The session is not held: what it has of its last request is that of a later one, once another is recorded.
  const { request } = lastSent;
  const [digests, conversation] = [{ ...lastSent.digests, messages: lastSent.digests.messages.slice() }, lastSent.conversation.slice()];
  if (request.model !== whole.payload.model || request.profile !== whole.profile) return null;
  if (JSON.stringify(request.gates) !== JSON.stringify(enabledGates(input.gates))) return null;
  if (digests.system !== whole.prefixDigests.system || digests.tools !== whole.prefixDigests.tools) return null;
  if (!conversation.every((uuid, at) => input.messages[at]?.uuid === uuid)) return null;
  const then = await requests.before(record);
  if (JSON.stringify(then.settings.context) !== JSON.stringify(input.context)) return null;
  const recorded = await requests.messages(then, request.requestId);
  if ('fault' in recorded) return null;
  const { messages, working } = workingOf(recorded, input.messages.slice(0, conversation.length));
  const { settings } = whole.parts;
  const parts = { ...whole.parts, messages, working, settings, continued: null };
  const sent = sentMessages({ messages: input.messages.slice(0, conversation.length) }, { ...whole, parts, prefixDigests: digests });
  return { ...sent, trace: recorded.trace };
}

/** Status of the model API for a request that it does not accept as it is. */
const REFUSED = 400;

/** A request that was recorded, and what the passes of its build did. */
export interface RecordedSent extends SentMessages {
  readonly trace: readonly TraceEntry[];
}

/** Whether a payload begins with what was sent, and breaks no rule of the model API that `whole` keeps. */
export function continues(view: BuiltPayload, whole: BuiltPayload, sent: SentMessages, { gates, provider }: PayloadInput): boolean {
  const { continued } = view.parts;
  if (continued === null || (continued.keep > 0 && view.prefixDigests.messages[continued.keep - 1] !== sent.digests[continued.keep - 1])) return false;
  const problems = problemsOf(view.payload, gates, provider);
  if (problems.length === 0) return true;
  const anyway = new Set(problemsOf(whole.payload, gates, provider).map(({ rule }) => rule));
  return problems.every(({ rule }) => anyway.has(rule));
}

/** Blocks by their texts, with the stored blocks that each comes from: one that was sent as it is stored is that object. */
function workingOf({ texts, trace }: RecordedMessages, conversation: readonly Message[]): Pick<BuiltPayload['parts'], 'messages' | 'working'> {
  const sources = new Map<string, NonNullable<TraceEntry['source']>[]>();
  for (const { source, target } of trace) {
    if (!source || !target) continue;
    const key = `${target.message}/${target.block}`;
    const known = sources.get(key);
    if (known) known.push(source);
    else sources.set(key, [source]);
  }
  const stored = new Map(conversation.map((message) => [message.uuid, message]));
  const working: Working = texts.map(({ role, blocks }, message) => ({
    kind: role,
    original: null,
    blocks: blocks.map((text, block): WorkingBlock => {
      const from = sources.get(`${message}/${block}`) ?? [];
      const [source] = from;
      const only = from.length === 1 && source ? stored.get(source.uuid) : undefined;
      return { block: blockOf(text, only && contentBlocksOf(only)[source!.index]), sources: from };
    }),
  }));
  return { working, messages: working.map(({ kind, blocks }) => ({ role: roleOf(kind), content: blocks.map(({ block }) => block) })) };
}

function blockOf(text: string, stored: ContentBlock | undefined): ContentBlock {
  if (stored && blockText(stored) === text) return stored;
  const block = JSON.parse(text) as ContentBlock;
  noteInputs(block, text);
  return block;
}
