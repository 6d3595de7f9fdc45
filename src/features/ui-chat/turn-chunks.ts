import { type Content, type ContentBlock, type Json, textOf } from '../../../packages/protocol/message/content.js';
import type { StoredMessage, SystemMessage } from '../../../packages/protocol/message/message.js';
import { loose } from '../../../packages/protocol/message/unknown-json.js';
import type { EventData, SessionEvent } from '../../../packages/protocol/events/events.js';
import { waitsForHelpers } from '../../../packages/protocol/events/stopped.js';
import { type BlockKind, completed, deltaOf, endOf, kindOf, resultsIn, sourcesOf, startOf, textIn } from './blocks.js';
import { type Chunk, finishReasonOf } from './chunks.js';

interface OpenBlock {
  readonly kind: BlockKind;
  /** Of a tool call. */
  readonly callId: string;
  text: string;
}

/** The current step: the request that it shows, null after a failed one; and what has been sent of its answer, by index. */
interface Step {
  requestId: string | null;
  blocks: OpenBlock[];
  /** A delta was missed: what follows waits for the stored message. */
  spoilt: boolean;
}

/**
 * Translates what happens in one turn to chunks of one UI message: live deltas as they come, and the stored message, which decides. Whatever deltas were missed,
 * doubled or cut, the parts after a stored message are those of that message: what is missing is sent, and a step that shows something else is reset. Feeding only
 * the stored events gives the same parts.
 */
export class TurnChunks {
  #step: Step | null = null;
  #end: Chunk | null = null;
  #waits = false;
  readonly #completed = new Set<string>();
  readonly #calls = new Set<string>();
  readonly #asked = new Set<string>();
  readonly #denied = new Set<string>();

  /** `continues`: the client has the parts up to here, because the turn waited for it. */
  constructor(
    private readonly turnId: string,
    private readonly promptId: string,
    private readonly continues = false,
  ) {}

  /** Chunks that end the stream: the turn is over, or waits for the client; null while it continues. */
  get closing(): readonly Chunk[] | null {
    if (!this.#end) return null;
    return [...(this.#step ? [{ type: 'finish-step' } as const] : []), this.#end];
  }

  /** The turn is over, not only waiting. */
  get isOver(): boolean {
    return this.#end !== null && !this.#waits;
  }

  stored(event: SessionEvent): readonly Chunk[] {
    if (event.type === 'prompt.withdrawn' && event.data.promptId === this.promptId) return this.#finish({ type: 'abort', reason: 'withdrawn' });
    if (!('turnId' in event.data) || event.data.turnId !== this.turnId) return [];
    switch (event.type) {
      case 'message.appended':
        return this.#message(event.data.message);
      case 'request.failed':
        return this.#failed(event.data.requestId);
      case 'tool.decided':
        return this.#decided(event.data);
      case 'turn.waiting':
        return waitsForHelpers(event) ? [] : this.#waiting(event.data.decisions ?? []);
      case 'turn.resumed':
        this.#end = null;
        this.#waits = false;
        return [];
      case 'turn.completed':
        return this.#finish({ type: 'finish', finishReason: finishReasonOf(event.data.stopReason) });
      case 'turn.interrupted':
        return this.#finish({ type: 'abort', reason: 'interrupted' });
      case 'turn.failed':
        return this.#finish({ type: 'error', errorText: event.data.error.message });
      default:
        return [];
    }
  }

  /** A signal of the live bus. */
  live(type: string, data: Json): readonly Chunk[] {
    const { turnId, requestId, purpose, index, start, delta, toolUseId, data: progress } = loose(data);
    if (turnId !== this.turnId || this.#end) return [];
    if (type === 'tool.progress') return [{ type: 'data-progress', id: String(toolUseId), data: progress as Json, transient: true }];
    if (type !== 'message.delta' || purpose !== undefined || typeof requestId !== 'string' || typeof index !== 'number') return [];
    if (this.#completed.has(requestId)) return [];
    const isFirst = this.#step?.requestId !== requestId;
    // To a reader that joins in the middle of an answer each block is sent once more; one that is not gets the stored message.
    if (isFirst && (index !== 0 || start === undefined)) return [];
    const entered = isFirst ? this.#enter(requestId) : [];
    const step = this.#step!;
    if (start !== undefined && index < step.blocks.length) return entered; // once more, for a reader that joined
    const started = start === undefined || step.spoilt ? [] : this.#startBlock(step, index, start);
    const extended = delta === undefined || step.spoilt ? [] : this.#extend(step, index, delta);
    return [...entered, ...started, ...extended];
  }

  /** Begins the step of a request. A step that a failed request has left empty is used again. */
  #enter(requestId: string): readonly Chunk[] {
    const left = this.#step;
    this.#step = { requestId, blocks: [], spoilt: false };
    if (left?.requestId === null) return [];
    return [...(left ? [{ type: 'finish-step' } as const] : []), { type: 'start-step' }];
  }

  #startBlock(step: Step, index: number, block: unknown): readonly Chunk[] {
    if (index !== step.blocks.length) {
      step.spoilt = true;
      return [];
    }
    const kind = kindOf(block);
    const text = textIn(block);
    const last = step.blocks.at(-1);
    step.blocks.push({ kind, text, callId: String(loose(block)['id']) });
    const id = partId(step, index);
    return [...(last ? endOf(last.kind, partId(step, index - 1)) : []), ...startOf(kind, id, block), ...deltaOf(kind, id, text)];
  }

  #extend(step: Step, index: number, delta: unknown): readonly Chunk[] {
    const block = step.blocks[index];
    if (!block || index !== step.blocks.length - 1) {
      step.spoilt = true;
      return [];
    }
    const { type, text, thinking, partial_json: json } = loose(delta);
    if (type === 'input_json_delta') {
      if (block.kind !== 'tool' || typeof json !== 'string' || json === '') return [];
      return [{ type: 'tool-input-delta', toolCallId: block.callId, inputTextDelta: json }];
    }
    const added = type === 'text_delta' && block.kind === 'text' ? text : type === 'thinking_delta' && block.kind === 'reasoning' ? thinking : '';
    if (typeof added !== 'string') return [];
    block.text += added;
    return deltaOf(block.kind, partId(step, index), added);
  }

  #message(message: StoredMessage): readonly Chunk[] {
    switch (message.type) {
      case 'assistant':
        return message.isApiErrorMessage ? [] : this.#answer(message.requestId ?? message.uuid, message.message.content);
      case 'user':
        return resultsIn(message.content).flatMap((result) => this.#result(result));
      case 'system':
        return noticesOf(message);
      default:
        return [];
    }
  }

  /** The stored answer: what was not sent of it. */
  #answer(requestId: string, content: readonly ContentBlock[]): readonly Chunk[] {
    const entered = this.#step?.requestId === requestId ? [] : this.#enter(requestId);
    const step = this.#step!;
    this.#completed.add(requestId);
    const fits = !step.spoilt && step.blocks.every((sent, index) => isBeginning(sent, content[index], index === step.blocks.length - 1));
    const reset: readonly Chunk[] = fits || step.blocks.length === 0 ? [] : [{ type: 'reset-step' }];
    if (!fits) step.blocks = [];
    const sent = step.blocks;
    const rest = content.flatMap((block, index) => {
      const kind = kindOf(block);
      const id = partId(step, index);
      const known = sent[index];
      const begun = known ? deltaOf(kind, id, textIn(block).slice(known.text.length)) : [...shown(kind, id, block), ...deltaOf(kind, id, textIn(block))];
      const isEnded = known !== undefined && index < sent.length - 1;
      return [...begun, ...(isEnded ? [] : endOf(kind, id)), ...completed(block)];
    });
    for (const block of content) if (kindOf(block) === 'tool') this.#calls.add(String(loose(block)['id']));
    return [...entered, ...reset, ...rest, ...content.flatMap((block, index) => sourcesOf(block, partId(step, index)))];
  }

  #result({ id, output, isError }: ReturnType<typeof resultsIn>[number]): readonly Chunk[] {
    if (!this.#knows(id) || this.#denied.has(id)) return [];
    if (!isError) return [{ type: 'tool-output-available', toolCallId: id, output, dynamic: true }];
    return [{ type: 'tool-output-error', toolCallId: id, errorText: textOf(output as Content), dynamic: true }];
  }

  /** The parts of a failed request are removed; its retry uses the step. */
  #failed(requestId: string): readonly Chunk[] {
    this.#completed.add(requestId);
    const step = this.#step;
    if (step?.requestId !== requestId) return [];
    const isEmpty = step.blocks.length === 0;
    this.#step = { requestId: null, blocks: [], spoilt: false };
    return isEmpty ? [] : [{ type: 'reset-step' }];
  }

  #decided({ toolUseId, decision, feedback }: EventData['tool.decided']): readonly Chunk[] {
    if (!this.#knows(toolUseId) || !(decision === 'allow' || decision === 'reject' || decision === 'cancel')) return [];
    const isAsked = this.continues || this.#asked.has(toolUseId);
    const approved = decision === 'allow';
    const reason = feedback === undefined ? {} : { reason: feedback };
    if (!approved) this.#denied.add(toolUseId);
    return [
      ...(isAsked ? [{ type: 'tool-approval-response' as const, approvalId: toolUseId, approved, ...reason }] : []),
      ...(approved ? [] : [{ type: 'tool-output-denied' as const, toolCallId: toolUseId }]),
    ];
  }

  #waiting(decisions: readonly string[]): readonly Chunk[] {
    this.#end = { type: 'finish', finishReason: 'tool-calls' };
    this.#waits = true;
    const asked = decisions.filter((id) => this.#knows(id) && !this.#asked.has(id));
    for (const id of asked) this.#asked.add(id);
    return asked.map((id) => ({ type: 'tool-approval-request', approvalId: id, toolCallId: id }));
  }

  #finish(end: Chunk): readonly Chunk[] {
    this.#end = end;
    this.#waits = false;
    return [];
  }

  /** The message has a part for this call: a chunk about any other breaks the client. */
  #knows(id: string): boolean {
    return this.continues || this.#calls.has(id);
  }
}

const partId = (step: Step, index: number): string => `${step.requestId}:${index}`;

/** A complete tool call needs no start. */
const shown = (kind: BlockKind, id: string, block: ContentBlock): readonly Chunk[] => (kind === 'tool' ? [] : startOf(kind, id, block));

function isBeginning({ kind, text, callId }: OpenBlock, block: ContentBlock | undefined, isLast: boolean): boolean {
  if (block === undefined || kindOf(block) !== kind) return false;
  if (kind === 'tool') return callId === String(loose(block)['id']);
  const whole = textIn(block);
  return isLast ? whole.startsWith(text) : whole === text;
}

const COMMAND_TAGS = /<\/?local-command-std(?:out|err)>/g;

function noticesOf({ uuid, subtype, level = 'info', content }: SystemMessage): readonly Chunk[] {
  const text = content.replace(COMMAND_TAGS, '').trim();
  return text === '' || subtype === 'compact_boundary' ? [] : [{ type: 'data-notice', id: uuid, data: { subtype, level, text } }];
}
