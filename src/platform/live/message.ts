import type { LiveSignal } from '../../ports/index.js';

export type Delta = Extract<LiveSignal, { readonly kind: 'delta' }>;

/** A message between processes, besides deltas. A batch of them is a JSON array. */
export type Message =
  | readonly ['advanced', channel: string, seq: number, stopped?: readonly string[]]
  /** Some session has a longer log. */
  | readonly ['grown']
  /** The sender has started to listen and requests a `here` from every other process. */
  | readonly ['hello', isWorker: boolean, buckets: number]
  /**
   * The sender listens, and says so again after at most `pace` heartbeats. Without it: after one. `wasAlone`: it answers a `hello`, and has sent nothing until shortly before, because it knew of no
   * other process. Older builds do not say so.
   */
  | readonly ['here', isWorker: boolean, buckets: number, pace?: number, wasAlone?: true]
  /** The sender stops. */
  | readonly ['bye'];

/** Other programs may write to the same channel: throws for any text that is not a batch. */
export function parseBatch(body: string): readonly Message[] {
  const messages: unknown = JSON.parse(body);
  if (Array.isArray(messages) && messages.every(isMessage)) return messages;
  throw new TypeError('The text is not an array of live messages');
}

const DELTA_TYPES: ReadonlySet<string> = new Set(['message.delta', 'tool.progress', 'queue.changed', 'presence'] satisfies readonly Delta['type'][]);

/** A batch of deltas has one on each line: its session, its type and its data as JSON, which has no line breaks. A reader of one session parses no other's. */
export const deltaLine = ({ sessionId, type, data }: Delta): string => `${encodeURIComponent(sessionId)} ${type} ${JSON.stringify(data)}`;

/** The deltas of the sessions that `isRead`. Throws when the text is not a batch of deltas. */
export function* parseDeltas(body: string, isRead: (sessionId: string) => boolean): Generator<Delta> {
  for (const line of body.split('\n')) {
    const sessionEnd = line.indexOf(' ');
    const typeEnd = line.indexOf(' ', sessionEnd + 1);
    const type = line.slice(sessionEnd + 1, typeEnd);
    if (sessionEnd < 1 || typeEnd < 0 || !DELTA_TYPES.has(type)) throw new TypeError('The text is not a live delta');
    const sessionId = decodeURIComponent(line.slice(0, sessionEnd));
    if (isRead(sessionId)) yield { kind: 'delta', sessionId, type: type as Delta['type'], data: JSON.parse(line.slice(typeEnd + 1)) as Delta['data'] };
  }
}

function isMessage(message: unknown): message is Message {
  if (!Array.isArray(message)) return false;
  const [kind, second, third, fourth, fifth] = message as readonly unknown[];
  switch (kind) {
    case 'advanced':
      return typeof second === 'string' && Number.isSafeInteger(third) && (fourth === undefined || isTexts(fourth));
    case 'hello':
    case 'here':
      return typeof second === 'boolean' && isCount(third) && (fourth === undefined || isCount(fourth)) && (fifth === undefined || fifth === true);
    default:
      return kind === 'bye' || kind === 'grown';
  }
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0;

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((text) => typeof text === 'string');
