import type { Event, Queue, Session, Turn } from './api.js';
import { leaves } from './changes-of-events.js';

/** What a session does and waits for. */
export interface State {
  readonly session: Session;
  readonly turn: Turn | null;
  readonly queue: Queue['data'];
}

/** Blocks of an answer that are no call of a tool. */
const NO_CALLS: ReadonlySet<string> = new Set(['text', 'thinking', 'redacted_thinking']);

/**
 * The state after the next event of the log. Undefined: the server has to be asked, as after an event that this client does not know, and after one that changes
 * the state of tool calls or the queue.
 */
export function stateAfter({ session, turn, queue }: State, event: Event): State | undefined {
  if (event.seq <= session.version) return { session, turn, queue };
  if (event.seq !== session.version + 1) return undefined;
  const changes = sessionChanges(session, event, queue.length === 0 && session.queueLength === 0);
  const next = changes && turnAfter(turn, event);
  if (next === undefined) return undefined;
  return {
    session: { ...session, ...changes, version: event.seq, ...(event.type === 'session.accessed' ? {} : { updatedAt: event.time }) },
    turn: next,
    queue,
  };
}

function sessionChanges({ usage }: Session, event: Event, isQueueEmpty: boolean): Partial<Session> | undefined {
  switch (event.type) {
    case 'message.appended':
      return { head: event.data.message.uuid };
    case 'turn.started':
      return isQueueEmpty ? { status: 'running', turnId: event.data.turnId } : undefined;
    case 'turn.completed':
    case 'turn.interrupted':
    case 'turn.failed':
      return isQueueEmpty ? { status: 'idle', turnId: null } : undefined;
    case 'request.sent':
      return { origin: event.data.origin ?? null };
    case 'request.completed':
      return { usage: plus(usage, event.data.usage) };
    default:
      return leaves(event.type, 'state') ? {} : undefined;
  }
}

/** A turn that was read after the session includes events that the session does not. */
function turnAfter(turn: Turn | null, event: Event): Turn | null | undefined {
  if (event.type === 'turn.started') return startedTurn(event);
  if (event.type === 'turn.completed' || event.type === 'turn.interrupted' || event.type === 'turn.failed') return null;
  if (turn === null || event.seq <= turn.version) return turn;
  const next = { ...turn, version: event.seq };
  switch (event.type) {
    case 'turn.prepared':
      return { ...next, checkpoints: [...event.data.checkpoints] };
    case 'message.appended':
      return changesCalls(event.data.message) ? undefined : next;
    case 'request.sent':
      return event.data.turnId === turn.turnId ? { ...next, requests: [...turn.requests, sentRequest(event)] } : next;
    case 'request.completed': {
      const { requestId, providerRequestId, stopReason, usage, durationMs } = event.data;
      const known = turn.requests.some((one) => one.requestId === requestId);
      const requests = withRequest(turn, requestId, { status: 'completed', providerRequestId, stopReason, usage, durationMs });
      return { ...next, requests, usage: known ? plus(turn.usage, usage) : turn.usage };
    }
    case 'request.failed': {
      const { requestId, error, durationMs } = event.data;
      return { ...next, requests: withRequest(turn, requestId, { status: 'failed', error, providerRequestId: error.providerRequestId ?? null, durationMs }) };
    }
    default:
      return next;
  }
}

type Of<Type extends Event['type']> = Extract<Event, { type: Type }>;
type TurnRequest = Turn['requests'][number];

function startedTurn({ seq, time, data: { turnId, promptId } }: Of<'turn.started'>): Turn {
  const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0, requests: 0 };
  const unknown = { endedAt: null, stopReason: null, stopDetails: null, error: null, checkpoints: [], requests: [], toolCalls: [], usage };
  return { version: seq, turnId, promptId, status: 'running', startedAt: time, ...unknown };
}

function sentRequest({ seq, time, data }: Of<'request.sent'>): TurnRequest {
  const { requestId, turnId, ordinal, at, model, digest, bytes, purpose = 'answer', origin = null, repair = null } = data;
  const unknown = { stopReason: null, usage: null, error: null, durationMs: null, providerRequestId: null };
  return { requestId, turnId, ordinal, purpose, seq, at, model, digest, bytes, origin, repair, status: 'open', sentAt: time, ...unknown };
}

const withRequest = ({ requests }: Turn, requestId: string, changes: Partial<TurnRequest>): TurnRequest[] =>
  requests.map((one) => (one.requestId === requestId ? { ...one, ...changes } : one));

function changesCalls(message: Of<'message.appended'>['data']['message']): boolean {
  if (message.type === 'assistant') return message.message.content.some(({ type }) => !NO_CALLS.has(type));
  return message.type === 'user' && typeof message.content !== 'string' && message.content.some(({ type }) => type === 'tool_result');
}

function plus(sum: Session['usage'], usage: Of<'request.completed'>['data']['usage']): Session['usage'] {
  return {
    requests: sum.requests + 1,
    inputTokens: sum.inputTokens + (usage.input_tokens ?? 0),
    outputTokens: sum.outputTokens + (usage.output_tokens ?? 0),
    cacheReadTokens: sum.cacheReadTokens + (usage.cache_read_input_tokens ?? 0),
    cacheCreationTokens: sum.cacheCreationTokens + (usage.cache_creation_input_tokens ?? 0),
  };
}
