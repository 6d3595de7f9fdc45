import { type BuiltPayload, type PayloadInput, sentMessages } from '../../../packages/normalizer/build-payload.js';
import { type SentMessages } from '../../../packages/normalizer/continue-payload.js';
import { comparePrefix } from '../../../packages/normalizer/prefix.js';
import type { Working, WorkingBlock } from '../../../packages/normalizer/working-message.js';
import type { ContentBlock } from '../../../packages/protocol/message/content.js';
import { noteInputs } from '../../../packages/protocol/message/written-input.js';
import type { TraceEntry } from '../../../packages/protocol/request/trace-entry.js';
import { enabledGates } from '../../../packages/protocol/gates.js';
import { problemsOf } from './payload-problems.js';
import type { RecordedMessages, SentRequests } from './sent-requests.js';
import type { SessionState } from '../../session/state/state.js';

/**
 * The last request of a session as the log has it, for the next one to continue; `whole` is what this build makes of the whole conversation. Null when that begins with
 * what was sent, or when something else than the build is the reason that it does not: another model, other gates, tools, texts, or a conversation that was not extended.
 */
export async function recordedMessages(state: SessionState, input: PayloadInput, whole: BuiltPayload, requests: SentRequests): Promise<RecordedSent | null> {
  const { lastSent } = state;
  const record = state.requests.get(lastSent?.request.requestId ?? '');
  if (!lastSent?.conversation || !record || comparePrefix(lastSent.digests, whole.prefixDigests).brokenAt === undefined) return null;
  const { request, digests, conversation } = lastSent;
  if (request.model !== whole.payload.model || request.profile !== whole.profile) return null;
  if (JSON.stringify(request.gates) !== JSON.stringify(enabledGates(input.gates))) return null;
  if (digests.system !== whole.prefixDigests.system || digests.tools !== whole.prefixDigests.tools) return null;
  if (!conversation.every((uuid, at) => input.messages[at]?.uuid === uuid)) return null;
  const then = await requests.before(record);
  if (JSON.stringify(then.settings.context) !== JSON.stringify(input.context)) return null;
  const recorded = await requests.messages(then, request.requestId);
  if ('fault' in recorded) return null;
  const { messages, working } = workingOf(recorded);
  const { settings } = whole.parts;
  const parts = { ...whole.parts, messages, working, settings, continued: null };
  const sent = sentMessages({ messages: input.messages.slice(0, conversation.length) }, { ...whole, parts, prefixDigests: digests });
  return { ...sent, trace: recorded.trace };
}

/** A request that was recorded, and what the passes of its build did. */
export interface RecordedSent extends SentMessages {
  readonly trace: readonly TraceEntry[];
}

/** Whether a payload begins with what was sent, and the model API accepts it if it accepts `whole`. */
export function continues(view: BuiltPayload, whole: BuiltPayload, sent: SentMessages, { gates, provider }: PayloadInput): boolean {
  const { continued } = view.parts;
  if (continued === null || (continued.keep > 0 && view.prefixDigests.messages[continued.keep - 1] !== sent.digest)) return false;
  return problemsOf(view.payload, gates, provider).length === 0 || problemsOf(whole.payload, gates, provider).length > 0;
}

/** Blocks by their texts, with the stored blocks that each comes from. */
function workingOf({ texts, trace }: RecordedMessages): Pick<BuiltPayload['parts'], 'messages' | 'working'> {
  const sources = new Map<string, NonNullable<TraceEntry['source']>[]>();
  for (const { source, target } of trace) {
    if (!source || !target) continue;
    const key = `${target.message}/${target.block}`;
    const known = sources.get(key);
    if (known) known.push(source);
    else sources.set(key, [source]);
  }
  const working: Working = texts.map(({ role, blocks }, message) => ({
    kind: role,
    original: null,
    blocks: blocks.map((text, block): WorkingBlock => ({ block: blockOf(text), sources: sources.get(`${message}/${block}`) ?? [] })),
  }));
  return { working, messages: working.map(({ kind, blocks }) => ({ role: kind as 'user' | 'assistant', content: blocks.map(({ block }) => block) })) };
}

function blockOf(text: string): ContentBlock {
  const block = JSON.parse(text) as ContentBlock;
  noteInputs(block, text);
  return block;
}
