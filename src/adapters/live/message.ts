import type { Json } from '../../core/message/content.js';
import type { LiveSignal } from '../../core/ports.js';

type Delta = Extract<LiveSignal, { readonly kind: 'delta' }>;

/** A message between processes. A batch is a JSON array of them. */
export type Message =
  | readonly ['advanced', sessionId: string, seq: number, settled?: readonly string[]]
  | readonly ['delta', sessionId: string, type: Delta['type'], data: Json]
  /** The sender has started to listen and requests a `here` from every other process. */
  | readonly ['hello', isWorker: boolean]
  /** The sender listens. */
  | readonly ['here', isWorker: boolean]
  /** The sender stops. */
  | readonly ['bye'];

/** Other programs may write to the same channel: throws for any text that is not a batch. */
export function parseBatch(body: string): readonly Message[] {
  const messages: unknown = JSON.parse(body);
  if (Array.isArray(messages) && messages.every(isMessage)) return messages;
  throw new TypeError('The text is not an array of live messages');
}

const DELTA_TYPES: readonly unknown[] = ['message.delta', 'tool.progress', 'queue.changed', 'presence'] satisfies readonly Delta['type'][];

function isMessage(message: unknown): message is Message {
  if (!Array.isArray(message)) return false;
  const [kind, second, third, fourth] = message as readonly unknown[];
  switch (kind) {
    case 'advanced':
      return typeof second === 'string' && Number.isSafeInteger(third) && (fourth === undefined || isTexts(fourth));
    case 'delta':
      return typeof second === 'string' && DELTA_TYPES.includes(third) && message.length === 4;
    case 'hello':
    case 'here':
      return typeof second === 'boolean';
    default:
      return kind === 'bye';
  }
}

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((text) => typeof text === 'string');
