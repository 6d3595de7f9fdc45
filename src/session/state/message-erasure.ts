import { blocksOf } from '../../../packages/protocol/message/content.js';
import type { Quotes } from '../../../packages/protocol/events/define-event.js';
import { EVENTS, type SessionEvent } from '../../../packages/protocol/events/events.js';
import { saidFirstIn } from '../../../packages/protocol/message/attachment.js';
import type { MessageRecord, SessionState } from './state.js';
import { copiesOf } from './stored-file.js';

/** What an erasure of one message reaches in a session. */
export interface MessageErasure {
  /** Uuids of the messages: first the one that was named, then those that were made with it or from it, and its copies on other branches of a session file. */
  readonly messages: readonly string[];
  /** Whether an event has content of them, or a digest of a request with them. */
  readonly carries: (event: SessionEvent) => boolean;
}

/** The uuid of the message that an erasure is asked for by the uuid of the message, or by the id of its prompt: what became no message has only that. */
export function erasableUuid(state: SessionState, given: string): string {
  return state.prompts.get(given)?.submission.uuid ?? given;
}

/**
 * A prompt has the messages that were made for it, an answer all its parts; every summary that was written later may quote them, and a compaction carries system messages over. Null: the session has no such
 * message or prompt.
 */
export function messageErasure(state: SessionState, uuid: string): MessageErasure | null {
  const record = state.messages.get(uuid);
  const prompt = [...state.prompts.values()].find(({ submission }) => submission.uuid === uuid);
  if (!record && !prompt) return null;
  const promptId = record?.message.type === 'assistant' ? null : (record?.promptId ?? prompt?.submission.promptId ?? null);
  const requestId = record?.message.type === 'assistant' ? (record.message.requestId ?? null) : null;
  const turnId = record?.turnId ?? prompt?.turnId ?? null;
  const together = promptId === null ? partsOfAnswer(state, requestId) : preparedFor(state, turnId);
  const found = [...(record ? [record] : []), ...together];
  const own = [...found, ...found.flatMap(({ message }) => copiesOf(state, message.uuid)).flatMap((copy) => state.messages.get(copy) ?? [])];
  const since = record ? Math.min(...own.map(({ seq }) => seq)) : Infinity; // no request has had a prompt without a message
  const summaries = [...state.messages.values()].filter(({ message, seq }) => message.type === 'user' && message.isCompactSummary && seq >= since);
  const uuids = new Set(own.map(({ message }) => message.uuid));
  const carried = [...state.messages.values()].filter(({ message }) => uuids.has(saidFirstIn(message)));
  const messages = [...new Set([uuid, ...[...own, ...summaries, ...carried].map(({ message }) => message.uuid)])];
  const parts = new Set(messages);
  const calls = new Set([...own.flatMap(callIds), ...(promptId === null ? [] : [promptId])]); // in bash mode the call has the id of the prompt
  const isImported = record !== undefined && record.turnId === null;
  /** By what an event of a type quotes; see `Quotes`. */
  const isQuoted: Readonly<Record<NonNullable<Quotes>, (event: SessionEvent, about: About) => boolean>> = {
    message: (_, { message }) => message !== undefined && parts.has(message.uuid),
    prompt: (_, { submission }) => submission?.promptId === promptId,
    turn: (_, about) => turnId !== null && about.turnId === turnId,
    call: (_, { toolUseId }) => toolUseId !== undefined && calls.has(toolUseId),
    step: (_, { toolUseId, cause, turnId: of, prompt: by }) =>
      by !== undefined
        ? parts.has(by)
        : toolUseId === undefined
          ? cause === 'step' && promptId !== null && turnId !== null && of === turnId
          : calls.has(toolUseId),
    compaction: (_, about) => promptId !== null && about.turnId === turnId,
    answer: (_, about) => about.requestId === requestId,
    import: () => isImported,
    later: ({ seq }, about) => seq > since || (promptId !== null && about.turnId !== undefined && about.turnId === turnId),
  };
  const carries = (event: SessionEvent): boolean => {
    const { quotes } = EVENTS[event.type];
    return quotes !== null && isQuoted[quotes](event, event.data as About);
  };
  return { messages, carries };
}

/** Calls of a turn. */
export interface CallsOfMessage {
  readonly turnId: string | null;
  readonly toolUseIds: readonly string[];
}

/** The calls of which the message is a part, or has the result; none once it is erased. */
export function callsOfMessage(state: SessionState, uuid: string): CallsOfMessage {
  const named = state.messages.get(uuid);
  if (!named) return { turnId: null, toolUseIds: [] };
  const { message, turnId } = named;
  const parts = message.type === 'assistant' ? partsOfAnswer(state, message.requestId ?? null) : [];
  return { turnId, toolUseIds: [...new Set([named, ...parts].flatMap(callIds))] };
}

/** Ids of the sessions that carry the calls out, or did. */
export function helpersOf(state: SessionState, { turnId, toolUseIds }: CallsOfMessage): readonly string[] {
  const calls = state.turns.get(turnId ?? '')?.calls;
  return toolUseIds.flatMap((id) => calls?.get(id)?.helper ?? []);
}

/** The members of data that say what an event is about. */
interface About {
  readonly message?: { readonly uuid: string };
  readonly submission?: { readonly promptId: string };
  readonly turnId?: string | null;
  readonly toolUseId?: string;
  readonly cause?: string;
  readonly prompt?: string;
  readonly requestId?: string;
}

function partsOfAnswer(state: SessionState, requestId: string | null): readonly MessageRecord[] {
  return [...state.messages.values()].filter(({ message }) => requestId !== null && message.type === 'assistant' && message.requestId === requestId);
}

/** The prompt of a turn and everything that was made of it, such as attachments: the messages of the turn before its first answer. */
function preparedFor(state: SessionState, turnId: string | null): readonly MessageRecord[] {
  const ofTurn = [...state.messages.values()].filter((other) => turnId !== null && other.turnId === turnId);
  const answer = ofTurn.findIndex(({ message }) => message.type === 'assistant');
  return answer === -1 ? ofTurn : ofTurn.slice(0, answer);
}

function callIds({ message }: MessageRecord): readonly string[] {
  const blocks = message.type === 'assistant' ? message.message.content : message.type === 'user' ? blocksOf(message.content) : [];
  return blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : block.type === 'tool_result' ? [block.tool_use_id] : []));
}
