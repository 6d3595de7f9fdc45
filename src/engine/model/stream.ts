import type { Json } from '../../../packages/protocol/message/content.js';
import { OpenBlocks } from '../../../packages/protocol/message/open-blocks.js';
import { withInputTexts } from '../../../packages/protocol/message/written-input.js';
import type { ModelMessage, Usage } from '../../../packages/protocol/message/message.js';
import type { ModelDelta } from '../../ports/index.js';

/** One event of the model API's stream (docs: Streaming messages). Unknown types are ignored: the API may add event types. */
export interface StreamEvent {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** An `error` event, or an event that is invalid at its position. */
export class StreamFault extends Error {
  override readonly name = 'StreamFault';

  constructor(
    /** The API's error type, or `stream_cut` for an invalid stream. */
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

type Fields = { [key: string]: unknown };

/** Assembles the events of one response into a message, and forwards each delta. */
export class AnswerStream {
  private message: Fields | null = null;
  private readonly blocks = new OpenBlocks();
  private stopped = false;

  constructor(private readonly onDelta: (delta: ModelDelta) => void = () => {}) {}

  /** Whether `message_stop` was received. */
  get complete(): boolean {
    return this.stopped;
  }

  /** The id of the message; null before `message_start`, or without one. */
  get id(): string | null {
    const id = this.message?.['id'];
    return typeof id === 'string' ? id : null;
  }

  /** Processes the next event. Throws StreamFault for an `error` event, or an event that is invalid at its position. */
  take(event: StreamEvent): void {
    switch (event.type) {
      case 'message_start':
        if (this.message) throw misplaced(event.type, 'the message has already started');
        this.message = { ...fieldsOf(event, 'message') };
        return;
      case 'content_block_start':
        return this.startBlock(indexOf(event), fieldsOf(event, 'content_block'));
      case 'content_block_delta':
        return this.addTo(indexOf(event), fieldsOf(event, 'delta'));
      case 'message_delta':
        return this.change(event);
      case 'message_stop':
        if (!this.message) throw misplaced(event.type, 'the message has not started');
        this.stopped = true;
        return;
      case 'error': {
        const { type, message } = fieldsOf(event, 'error');
        throw new StreamFault(String(type ?? 'api_error'), String(message ?? 'The model API reported an error without a message.'));
      }
      default: // content_block_stop, ping, and unknown types
    }
  }

  /** The complete message. Throws StreamFault unless `complete`. */
  answer(): { readonly message: ModelMessage; readonly usage: Usage } {
    if (!this.message || !this.stopped) throw new StreamFault('stream_cut', 'The response is not complete.');
    const message = this.build(this.message);
    return { message, usage: message.usage ?? {} };
  }

  /** The message received so far, with `stop_reason` null; null before `message_start`. */
  partial(): ModelMessage | null {
    return this.message && { ...this.build(this.message), stop_reason: null };
  }

  private startBlock(index: number, start: Fields): void {
    if (!this.message) throw misplaced('content_block_start', 'the message has not started');
    if (index !== this.blocks.length) throw misplaced('content_block_start', `block ${index} follows ${this.blocks.length} blocks`);
    this.blocks.start(start);
    this.onDelta({ index, start: start as Json });
  }

  private addTo(index: number, delta: Fields): void {
    if (!this.blocks.extend(index, delta)) throw misplaced('content_block_delta', `block ${index} has not started`);
    this.onDelta({ index, delta: delta as Json });
  }

  /** Usage counts are cumulative: the last value wins, and a count that is absent from a later event is kept. */
  private change(event: StreamEvent): void {
    if (!this.message) throw misplaced(event.type, 'the message has not started');
    const { type: _type, delta, usage, ...members } = event;
    Object.assign(this.message, delta, members);
    const counts = { ...(this.message['usage'] as Fields | undefined) };
    for (const [name, count] of Object.entries(usage ?? {})) {
      if (count !== null || !(name in counts)) counts[name] = count;
    }
    this.message['usage'] = counts;
  }

  private build(message: Fields): ModelMessage {
    const { content, unparsed } = this.blocks.built();
    const built = { ...message, content };
    return withInputTexts((Object.keys(unparsed).length > 0 ? { ...built, unparsed_input: unparsed } : built) as unknown as ModelMessage);
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

const misplaced = (type: string, why: string): StreamFault =>
  new StreamFault('stream_cut', `The model API sent an unexpected event ${type.slice(0, 40)}: ${why}.`);
