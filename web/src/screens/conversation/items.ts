import type { ContentBlock, ToolResultBlock, TranscriptMessage } from '@verbatim/client';

/** One row of the transcript: a message, or of one with many blocks a part. */
export interface Item {
  readonly key: string;
  readonly message: TranscriptMessage;
  /** The blocks of this row; null: the message has no content that this page knows. */
  readonly blocks: readonly ContentBlock[] | null;
  /** Of a message in several rows: where this one begins. The first has its head. */
  readonly from: number;
  readonly isLast: boolean;
  /** An answer right after another one of the same model, of which it is the next step: it needs no head. */
  readonly isContinued: boolean;
}

export interface CallResult {
  readonly block: ToolResultBlock;
  readonly message: TranscriptMessage;
}

export interface Transcript {
  readonly items: readonly Item[];
  /** Results of tool calls, by the id of the call: they are shown with their call. */
  readonly results: ReadonlyMap<string, CallResult>;
  /** Uuid of the newest prompt, which can be regenerated. */
  readonly lastPrompt: string | null;
  /** Uuid of the error with which the conversation ends when the newest prompt has no answer: that prompt can be sent again. */
  readonly failure: string | null;
}

/** Most blocks of one row: rows out of view are not laid out, blocks of a row are. */
const BLOCKS_PER_ROW = 16;

/** What a transcript takes from one message. */
interface Parts {
  readonly rows: readonly Item[];
  /** The same rows, where the message is the next step of the answer before. */
  readonly continued: readonly Item[];
  readonly calls: readonly string[];
  readonly results: readonly ToolResultBlock[];
  readonly isOnlyResults: boolean;
  readonly isPrompt: boolean;
}

/** A message that is there keeps its rows when others come: they are neither made nor rendered again. */
const known = new WeakMap<TranscriptMessage, Parts>();

export function transcriptOf(messages: readonly TranscriptMessage[]): Transcript {
  const results = new Map<string, CallResult>();
  const calls = new Set<string>();
  const items: Item[] = [];
  let lastPrompt: string | null = null;
  for (const message of messages) {
    const parts = known.get(message) ?? partsOf(message);
    known.set(message, parts);
    for (const id of parts.calls) calls.add(id);
    for (const block of parts.results) results.set(block.tool_use_id, { block, message });
    if (parts.isOnlyResults && parts.results.every(({ tool_use_id }) => calls.has(tool_use_id))) continue;
    if (parts.isPrompt) lastPrompt = message.uuid;
    items.push(...(isNextStep(items.at(-1)?.message, message) ? parts.continued : parts.rows));
  }
  return { items, results, lastPrompt, failure: lastPrompt === null ? null : failureAfter(messages, lastPrompt) };
}

/** The error may be that of a compaction, or of a command of the shell: then the prompt has its answer, or something else was sent after it. */
function failureAfter(messages: readonly TranscriptMessage[], prompt: string): string | null {
  const last = messages.at(-1);
  if (last === undefined || !isFailure(last)) return null;
  const after = messages.slice(messages.findLastIndex(({ uuid }) => uuid === prompt) + 1);
  return after.some((message) => isAnswer(message) || isRewindable(message) || (message.type === 'user' && message.isInterruption)) ? null : last.uuid;
}

const isFailure = (message: TranscriptMessage): boolean =>
  message.type === 'system' ? message.subtype === 'api_error' && message.level === 'error' : message.type === 'assistant' && message.isApiErrorMessage === true;

/** How answers end after which no turn continues. */
const ENDS: readonly unknown[] = ['end_turn', 'stop_sequence', 'max_tokens', 'refusal'];

const isAnswer = (message: TranscriptMessage): boolean =>
  message.type === 'assistant' && message.isApiErrorMessage !== true && ENDS.includes(message.message?.stop_reason);

/** Whether the turn of this answer continues with a further one, which is its next step. */
export const isContinuedBy = (before: TranscriptMessage | undefined): boolean =>
  before?.type === 'assistant' && before.isApiErrorMessage !== true && !before.erased && !ENDS.includes(before.message?.stop_reason);

const isNextStep = (before: TranscriptMessage | undefined, message: TranscriptMessage): boolean =>
  isContinuedBy(before) &&
  before?.type === 'assistant' &&
  message.type === 'assistant' &&
  message.isApiErrorMessage !== true &&
  !message.erased &&
  before.message?.model === message.message?.model;

/** Whether the row ends with a line for what can be done with its answer. What can be done with one that ends with a call is in the card of that. */
export function hasActions({ message, blocks, isLast }: Item): boolean {
  const last = blocks?.at(-1);
  return isLast && message.type === 'assistant' && !message.erased && !(last !== undefined && isCall(last));
}

function partsOf(message: TranscriptMessage): Parts {
  const blocks = contentOf(message);
  const results = message.type === 'user' ? (blocks ?? []).filter((block): block is ToolResultBlock => block.type === 'tool_result') : [];
  const rows = rowsOf(message, blocks);
  return {
    rows,
    continued: message.type === 'assistant' ? rows.map((row) => ({ ...row, isContinued: true })) : rows,
    calls: (blocks ?? []).filter(isCall).map(({ id }) => id),
    results,
    isOnlyResults: results.length > 0 && results.length === blocks?.length,
    isPrompt: message.type === 'user' && message.by?.kind === 'user' && results.length === 0,
  };
}

function rowsOf(message: TranscriptMessage, blocks: readonly ContentBlock[] | null): readonly Item[] {
  const count = blocks?.length ?? 0;
  if (blocks === null || count <= BLOCKS_PER_ROW) return [{ key: message.uuid, message, blocks, from: 0, isLast: true, isContinued: false }];
  return Array.from({ length: Math.ceil(count / BLOCKS_PER_ROW) }, (_, row) => {
    const from = row * BLOCKS_PER_ROW;
    const to = from + BLOCKS_PER_ROW;
    return {
      key: row === 0 ? message.uuid : `${message.uuid}/${from}`,
      message,
      blocks: blocks.slice(from, to),
      from,
      isLast: to >= count,
      isContinued: false,
    };
  });
}

export const isCall = (block: ContentBlock): block is Extract<ContentBlock, { type: 'tool_use' }> => block.type === 'tool_use';

/** The blocks of a prompt or an answer; a text is one block. Null: other messages, and those with content that this page does not know. */
export function contentOf(message: TranscriptMessage): readonly ContentBlock[] | null {
  const content: unknown = message.type === 'assistant' ? message.message?.content : message.type === 'user' ? message.content : null;
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return Array.isArray(content) && content.every((block) => typeof block === 'object' && block !== null) ? (content as readonly ContentBlock[]) : null;
}

/** The text of a message, to copy or edit it. */
export function textOf(message: TranscriptMessage): string {
  return (contentOf(message) ?? []).flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n\n');
}

/** A prompt, or a command for the shell, that a person has sent. */
export const isRewindable = (message: TranscriptMessage): boolean =>
  message.by?.kind === 'user' && (message.type === 'user' || (message.type === 'system' && message.content.startsWith('<bash-input>')));
