import { INTERRUPTED, INTERRUPTED_FOR_TOOL_USE } from '../../../packages/protocol/message/wire-texts.js';
import { blocksOf, textOf } from '../../../packages/protocol/message/content.js';
import type { StoredMessage } from '../../../packages/protocol/message/message.js';

/** Messages from `from` (included) to `to` (excluded). */
export interface Span {
  readonly from: number;
  readonly to: number;
  /** Whether any of its messages is visible to the model. */
  readonly isSeen: boolean;
}

/**
 * Divides messages into turns. A call and its result, and the pieces of one answer, always fall into the same turn; turns that overlap are merged. `turnIdOf` returns the
 * turn of a message, or null when it is unknown, as for imported ones: there each prompt begins a turn.
 */
export function turnsIn(messages: readonly StoredMessage[], turnIdOf: (uuid: string) => string | null): readonly Span[] {
  const isWithin = unsplittable(messages);
  const starts: number[] = [];
  let before: string | null = null;
  messages.forEach((message, index) => {
    const turnId = turnIdOf(message.uuid);
    const isStart = index === 0 || turnId !== before || (turnId === null && isPrompt(message));
    if (isStart && !isWithin[index]) starts.push(index);
    before = turnId;
  });
  return starts.map((from, at) => {
    const to = starts[at + 1] ?? messages.length;
    return { from, to, isSeen: messages.slice(from, to).some(isForModel) };
  });
}

/** For each index, whether a cut before it would separate a call from its result, or pieces of one answer. */
function unsplittable(messages: readonly StoredMessage[]): Uint8Array {
  const reach = new Int32Array(messages.length);
  const calls = new Map<string, number>();
  const answers = new Map<string, number>();
  const bind = (from: number | undefined, to: number): void => {
    if (from !== undefined) reach[from] = Math.max(reach[from]!, to);
  };
  messages.forEach((message, index) => {
    if (message.type === 'assistant') {
      bind(answers.get(message.message.id), index);
      if (!answers.has(message.message.id)) answers.set(message.message.id, index);
    }
    for (const block of blocksIn(message)) {
      if (block['type'] === 'tool_use') calls.set(String(block['id']), index);
      if (block['type'] === 'tool_result') bind(calls.get(String(block['tool_use_id'])), index);
    }
  });
  const isWithin = new Uint8Array(messages.length);
  let end = 0;
  for (let index = 0; index < messages.length; index += 1) {
    if (index <= end && index > 0) isWithin[index] = 1;
    end = Math.max(end, reach[index]!);
  }
  return isWithin;
}

/** Blocks of any type, since imported messages can have any. */
function blocksIn(message: StoredMessage): readonly Readonly<Record<string, unknown>>[] {
  const content = message.type === 'user' ? message.content : message.type === 'assistant' ? message.message.content : undefined;
  return blocksOf(content) as unknown as readonly Readonly<Record<string, unknown>>[];
}

function isPrompt(message: StoredMessage): boolean {
  if (message.type !== 'user' || message.isMeta || message.isVirtual || message.isCompactSummary) return false;
  if (blocksOf(message.content).some(({ type }) => type === 'tool_result')) return false;
  const text = textOf(message.content);
  return text !== INTERRUPTED && text !== INTERRUPTED_FOR_TOOL_USE;
}

function isForModel(message: StoredMessage): boolean {
  switch (message.type) {
    case 'user':
      return !message.isVirtual;
    case 'assistant':
      return !message.isVirtual && !message.isApiErrorMessage;
    case 'attachment':
      return true;
    case 'system':
      return message.subtype === 'local_command';
    default:
      return false;
  }
}
