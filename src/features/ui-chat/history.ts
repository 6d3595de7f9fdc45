import { blocksOf, type Content, isBlobSource, type Json } from '../../../packages/protocol/message/content.js';
import type { UserMessage } from '../../../packages/protocol/message/message.js';
import { loose } from '../../../packages/protocol/message/unknown-json.js';
import type { SessionEvent } from '../../../packages/protocol/events/events.js';
import type { MessageRecord, SessionState, Turn } from '../../session/state/state.js';
import { path } from '../../session/state/tree.js';
import { asVisible } from '../../session/transcript/visible.js';
import type { Chunk } from './chunks.js';
import { TurnChunks } from './turn-chunks.js';
import { partsAfter, type UiMessage, type UiPart } from './ui-message.js';

/**
 * The current conversation as UI messages: the initial messages of a chat. One message for each prompt, under the uuid of its message, and one for each turn, under
 * the id of the turn. The message of a turn that runs is missing: the stream of the chat begins with it.
 */
export function uiMessages(sessionId: string, state: SessionState): readonly UiMessage[] {
  const running = state.turn?.status === 'running' ? state.turn.turnId : null;
  const answers = new Map<string, { readonly chunks: TurnChunks; readonly sent: Chunk[]; readonly at: number }>();
  const messages: UiMessage[] = [];
  const metadata = { sessionId };
  for (const record of path(state)) {
    const { message } = record;
    if (message.type === 'user' && isPrompt(message)) {
      messages.push({ id: message.uuid, role: 'user', metadata, parts: promptParts(sessionId, message.content) });
      continue;
    }
    const turnId = record.turnId ?? message.uuid;
    if (turnId === running) continue;
    const turn = state.turns.get(turnId);
    const answer = answers.get(turnId) ?? { chunks: new TurnChunks(turnId, ''), sent: [], at: messages.length };
    const sent = [...answer.chunks.stored(appended(record, turnId)), ...decisionsAfter(record, turn).flatMap((event) => answer.chunks.stored(event))];
    if (!answers.has(turnId)) {
      if (sent.length === 0) continue;
      answers.set(turnId, answer);
      messages.push({ id: turnId, role: 'assistant', metadata: { sessionId, turnId }, parts: [] });
    }
    answer.sent.push(...sent);
  }
  for (const [turnId, { chunks, sent, at }] of answers) {
    const asked = askedIn(state.turn?.turnId === turnId ? state.turn : null);
    const waiting = asked.length === 0 ? [] : chunks.stored(event('turn.waiting', { turnId, toolUseIds: [], decisions: asked }));
    messages[at] = { ...messages[at]!, parts: partsAfter([...sent, ...waiting]) };
  }
  return messages;
}

/** Calls of a turn that wait for a person. */
export function askedIn(turn: Turn | null): readonly string[] {
  return turn === null
    ? []
    : [...turn.calls.values()].flatMap(({ decision, resultUuid, toolUseId }) => (decision === 'ask' && resultUuid === null ? [toolUseId] : []));
}

/** What a person typed, or sent as files. */
function isPrompt(message: UserMessage): boolean {
  if (message.isMeta || message.isInterruption || message.isCompactSummary || message.erased || asVisible(message) === null) return false;
  return !blocksOf(message.content).some(({ type }) => type === 'tool_result');
}

/** The decisions of people to reject calls, before the results that say so. */
function decisionsAfter({ message }: MessageRecord, turn: Turn | undefined): readonly SessionEvent[] {
  if (message.type !== 'assistant' || !turn) return [];
  return blocksOf(message.message.content).flatMap((block) => {
    const call = block.type === 'tool_use' ? turn.calls.get(block.id) : undefined;
    if (call?.decision !== 'reject' && call?.decision !== 'cancel') return [];
    return [event('tool.decided', { turnId: turn.turnId, toolUseId: call.toolUseId, name: call.name, decision: call.decision, by: call.decidedBy })];
  });
}

const appended = ({ message }: MessageRecord, turnId: string): SessionEvent => event('message.appended', { message, turnId });

const event = (type: string, data: object): SessionEvent => ({ type, data }) as unknown as SessionEvent;

function promptParts(sessionId: string, content: Content): readonly UiPart[] {
  return blocksOf(content).flatMap((block): readonly UiPart[] => {
    if (block.type === 'text') return [{ type: 'text', text: block.text }];
    const source = loose(loose(block)['source']);
    const filename = loose(block)['title'];
    const name = typeof filename === 'string' ? { filename } : {};
    if (isBlobSource(source)) return [{ type: 'file', mediaType: source.media_type, url: `/v1/sessions/${sessionId}/blobs/${source.sha256}`, ...name }];
    if (typeof source['url'] === 'string')
      return [{ type: 'file', mediaType: block.type === 'image' ? 'image' : 'application/pdf', url: source['url'], ...name }];
    if (source['type'] === 'text')
      return [{ type: 'file', mediaType: 'text/plain', url: `data:text/plain;charset=utf-8,${encodeURIComponent(String(source['data']))}`, ...name }];
    return [{ type: 'data-block', data: block as unknown as Json }];
  });
}
