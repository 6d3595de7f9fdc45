import type { ContentBlock, Json } from '../../core/message/content.js';
import type { ModelMessage, Usage } from '../../core/message/message.js';
import type { ModelDelta } from '../../core/ports.js';

/** One event of the model API's stream (docs: Streaming messages). Kinds that are not known carry on as they are: the API may add some any time. */
export interface StreamEvent {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** The stream said that the request failed, or said something that fits no message. */
export class StreamFault extends Error {
  override readonly name = 'StreamFault';

  constructor(
    /** The API's error type, or `stream_cut` when the stream made no sense. */
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

type Fields = { [key: string]: unknown };

/** A block that grows. Text comes in thousands of pieces, so it is added to in place. */
interface OpenBlock {
  readonly fields: Fields;
  /** The pieces of a tool call's input so far; null for a block that has had none. */
  json: string | null;
}

/** Puts the events of one answer together again, and passes each piece on as it comes. */
export class AnswerStream {
  private message: Fields | null = null;
  private readonly blocks: OpenBlock[] = [];
  private stopped = false;

  constructor(private readonly onDelta: (delta: ModelDelta) => void = () => {}) {}

  /** Whether the answer came to its end. */
  get complete(): boolean {
    return this.stopped;
  }

  /** Takes the next event. Throws StreamFault when it is the API's `error` event or fits nothing that came before. */
  take(event: StreamEvent): void {
    switch (event.type) {
      case 'message_start':
        if (this.message) throw misplaced(event.type, 'a message has begun already');
        this.message = { ...fieldsOf(event, 'message') };
        return;
      case 'content_block_start':
        return this.startBlock(indexOf(event), fieldsOf(event, 'content_block'));
      case 'content_block_delta':
        return this.addTo(indexOf(event), fieldsOf(event, 'delta'));
      case 'message_delta':
        return this.change(event);
      case 'message_stop':
        if (!this.message) throw misplaced(event.type, 'no message has begun');
        this.stopped = true;
        return;
      case 'error': {
        const { type, message } = fieldsOf(event, 'error');
        throw new StreamFault(String(type ?? 'api_error'), String(message ?? 'The model API reported an error without saying which.'));
      }
      default: // content_block_stop, ping, and whatever is added later
    }
  }

  /** The whole answer. Call it when `complete`. */
  answer(): { readonly message: ModelMessage; readonly usage: Usage } {
    if (!this.message || !this.stopped) throw new StreamFault('stream_cut', 'The answer is not complete.');
    const message = this.build(this.message);
    return { message, usage: message.usage ?? {} };
  }

  /** What has arrived so far, `stop_reason` null; null when nothing has. */
  partial(): ModelMessage | null {
    return this.message && { ...this.build(this.message), stop_reason: null };
  }

  private startBlock(index: number, start: Fields): void {
    if (!this.message) throw misplaced('content_block_start', 'no message has begun');
    if (index !== this.blocks.length) throw misplaced('content_block_start', `block ${index} comes after ${this.blocks.length} blocks`);
    this.blocks.push({ fields: { ...start }, json: null });
    this.onDelta({ index, start: start as Json });
  }

  private addTo(index: number, delta: Fields): void {
    const block = this.blocks[index];
    if (!block) throw misplaced('content_block_delta', `block ${index} has not begun`);
    const { fields } = block;
    switch (delta['type']) {
      case 'text_delta':
        fields['text'] = textOf(fields['text']) + textOf(delta['text']);
        break;
      case 'thinking_delta':
        fields['thinking'] = textOf(fields['thinking']) + textOf(delta['thinking']);
        break;
      case 'signature_delta':
        fields['signature'] = textOf(fields['signature']) + textOf(delta['signature']);
        break;
      case 'input_json_delta':
        block.json = (block.json ?? '') + textOf(delta['partial_json']);
        break;
      case 'citations_delta': {
        const citations = fields['citations'];
        if (Array.isArray(citations)) citations.push(delta['citation']);
        else fields['citations'] = [delta['citation']];
        break;
      }
      case 'compaction_delta': {
        const { type: _type, ...members } = delta;
        Object.assign(fields, members);
        break;
      }
      default: // a kind of delta that is newer than this list is shown live, but has no place in the block
    }
    this.onDelta({ index, delta: delta as Json });
  }

  /** Usage counts are cumulative: the last figure holds, and a count that a later event leaves out stays. */
  private change(event: StreamEvent): void {
    if (!this.message) throw misplaced(event.type, 'no message has begun');
    const { type: _type, delta, usage, ...members } = event;
    Object.assign(this.message, delta, members);
    const counts = { ...(this.message['usage'] as Fields | undefined) };
    for (const [name, count] of Object.entries(usage ?? {})) {
      if (count !== null || !(name in counts)) counts[name] = count;
    }
    this.message['usage'] = counts;
  }

  /**
   * A tool call whose input is no JSON (cut by the token limit, or by a broken stream) keeps its place with the input `{}`. What had arrived of the
   * input is in the message's own member `unparsed_input`, by the call's id: nobody may run such a call as if `{}` had been asked for.
   */
  private build(message: Fields): ModelMessage {
    const unparsed: { [id: string]: string } = {};
    const content = this.blocks.map(({ fields, json }) => {
      const block = { ...fields, ...(Array.isArray(fields['citations']) ? { citations: [...fields['citations']] } : {}) };
      if (!json) return block;
      try {
        return { ...block, input: JSON.parse(json) as unknown };
      } catch {
        unparsed[String(fields['id'])] = json;
        return { ...block, input: {} };
      }
    });
    const built = { ...message, content: content as unknown as readonly ContentBlock[] };
    return (Object.keys(unparsed).length > 0 ? { ...built, unparsed_input: unparsed } : built) as unknown as ModelMessage;
  }
}

function fieldsOf(event: StreamEvent, name: string): Fields {
  const value = event[name];
  if (typeof value !== 'object' || value === null) throw misplaced(event.type, `it has no ${name}`);
  return value as Fields;
}

function indexOf(event: StreamEvent): number {
  const index = event['index'];
  if (typeof index !== 'number') throw misplaced(event.type, 'it has no index');
  return index;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const misplaced = (type: string, why: string): StreamFault =>
  new StreamFault('stream_cut', `The model's answer broke off: unexpected event ${type.slice(0, 40)}, ${why}.`);
