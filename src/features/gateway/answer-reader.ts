import type { Failure } from '../../../packages/protocol/events/events.js';
import { parseExact } from '../../../packages/protocol/message/exact-json.js';
import type { ModelMessage } from '../../../packages/protocol/message/message.js';
import { loose } from '../../../packages/protocol/message/unknown-json.js';
import { noteInputs, withInputTexts } from '../../../packages/protocol/message/written-input.js';
import { typeOfStatus } from '../../engine/model/error-types.js';
import { contentBlock } from '../../http/schemas/block-schemas.js';
import { AnswerStream, StreamFault, type StreamEvent } from '../../engine/model/stream.js';

/** How an answer began. */
export interface AnswerHead {
  readonly status: number;
  readonly contentType: string;
  /** Null: the bytes are as they were made. */
  readonly encoding: string | null;
  readonly providerRequestId: string | null;
}

/** What came of an answer. */
export interface Outcome {
  /** Null: nothing that is an answer of the model. */
  readonly answer: ModelMessage | null;
  /** Null: the answer is whole. */
  readonly failure: Failure | null;
}

export const CUT = 'The connection to the model API was lost during the response.';

/** Characters of a body that is no answer which its record quotes. */
const QUOTED = 200;

/** Bytes of one event, or of a body that is not streamed, which are kept to be read. Of an answer with more, nothing further is read. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Reads an answer while it goes to the client. Nothing here changes what the client gets. */
export class AnswerReader {
  readonly #stream = new AnswerStream();
  readonly #isStream: boolean;
  /** The body, or the beginning of the event under way. */
  #pieces: Buffer[] = [];
  #length = 0;
  #failure: Failure | null = null;
  #isStopped = false;

  constructor(private readonly head: AnswerHead) {
    this.#isStream = head.status < 300 && head.contentType.startsWith('text/event-stream');
  }

  get isStream(): boolean {
    return this.#isStream;
  }

  /** The id of a streamed answer; null until it has begun. */
  get answerId(): string | null {
    return this.#stream.id;
  }

  /** The place in these bytes at which the last event of the answer begins; null: it is not in them. */
  take(bytes: Buffer): number | null {
    if (this.#isStopped) return null;
    if (this.#isStream) return this.#frames(bytes);
    this.#hold(bytes);
    return null;
  }

  /** Whether nothing further is read. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** What comes from now on is not read. */
  stop(why: string): void {
    this.#isStopped = true;
    this.#pieces = [];
    this.#failure ??= { code: 'api_error', message: `The answer of the model API could not be read: ${why}` };
  }

  /** `why`: the answer ended early; null: it ended by itself. */
  end(why: Failure | null): Outcome {
    try {
      const outcome = this.#isStream ? this.#streamed(why) : this.#whole(why);
      if (outcome.answer === null || outcome.answer.content.every(isBlock)) return outcome;
      this.stop('it has content that is not a block.');
    } catch (error) {
      this.stop(String(error).slice(0, QUOTED));
    }
    return { answer: null, failure: { ...this.#failure!, ...this.#ids() } };
  }

  #whole(why: Failure | null): Outcome {
    const text = Buffer.concat(this.#pieces).toString();
    const { status } = this.head;
    const body = parsed(text);
    if (status >= 400) return { answer: null, failure: { ...this.#refused(body, text), ...this.#ids() } };
    if (this.#failure !== null) return { answer: null, failure: { ...this.#failure, ...this.#ids() } };
    // A message that can be read is whole, however the connection or the process ended after it.
    if (body['role'] === 'assistant' && Array.isArray(body['content'])) return { answer: withInputTexts(body as unknown as ModelMessage), failure: null };
    if (why !== null) return { answer: null, failure: { ...why, ...this.#ids() } };
    const message = `The model API answered ${status} with something else than a message: ${text.slice(0, QUOTED)}`;
    return { answer: null, failure: { code: 'api_error', message, status, ...this.#ids() } };
  }

  #streamed(why: Failure | null): Outcome {
    if (this.#stream.complete && this.#failure === null) return { answer: this.#stream.answer().message, failure: null };
    const failure = this.#failure ?? why ?? { code: 'stream_cut', message: CUT };
    return { answer: this.#stream.partial(), failure: { ...failure, ...this.#ids() } };
  }

  #frames(bytes: Buffer): number | null {
    const tail = Buffer.concat(this.#pieces.slice(-2)).subarray(-2);
    const all = tail.length === 0 ? bytes : Buffer.concat([tail, bytes]);
    let from = 0;
    let last: number | null = null;
    for (let end = endOfFrame(all, 0); end !== -1; end = endOfFrame(all, from + tail.length)) {
      const to = end - tail.length;
      const text = Buffer.concat([...this.#pieces, bytes.subarray(from, to)]).toString();
      this.#pieces = [];
      this.#length = 0;
      if (this.#frame(text)) last = from;
      from = to;
    }
    this.#hold(bytes.subarray(from));
    return last;
  }

  #hold(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#length += bytes.length;
    this.#pieces.push(bytes);
    if (this.#length > MOST_BYTES) this.stop(`more than ${MOST_BYTES} bytes of it belong together.`);
  }

  /** True for the last event of the answer. */
  #frame(text: string): boolean {
    const data = text
      .split(/\r\n|\n|\r/)
      .flatMap((line) => (line.startsWith('data:') ? [line.slice(5)] : []))
      .join('\n');
    if (data.trim() === '' || this.#stream.complete) return false;
    try {
      const event: unknown = JSON.parse(data);
      if (typeof event === 'object' && event !== null) this.#stream.take(event as StreamEvent);
    } catch (error) {
      // Reading never changes what the client gets, whatever came.
      if (error instanceof StreamFault) this.#failure ??= { code: error.code, message: error.message };
      else if (!(error instanceof SyntaxError)) this.#failure ??= { code: 'stream_cut', message: String(error).slice(0, QUOTED) };
    }
    return this.#stream.complete;
  }

  #refused(body: Readonly<Record<string, unknown>>, text: string): Failure {
    const { status } = this.head;
    const { type, message, details } = loose(body['error']);
    const { error_code: errorCode } = loose(details);
    return {
      code: typeof type === 'string' ? type : typeOfStatus(status),
      message: typeof message === 'string' ? message : `The model API answered ${status}: ${text.slice(0, QUOTED)}`,
      status,
      ...(typeof errorCode === 'string' ? { errorCode } : {}),
    };
  }

  #ids(): Partial<Failure> {
    const { providerRequestId } = this.head;
    return providerRequestId === null ? {} : { providerRequestId };
  }
}

const LF = 10;
const CR = 13;

/** Index after the empty line that ends a frame; -1: the frame is not complete. */
function endOfFrame(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(LF, from); at !== -1; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at + 1] === LF) return at + 2;
    if (bytes[at + 1] === CR && bytes[at + 2] === LF) return at + 3;
  }
  return -1;
}

const isBlock = (block: unknown): boolean => contentBlock.safeParse(block).success;

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value = parseExact(text);
    noteInputs(value, text);
    return loose(value);
  } catch {
    return {};
  }
}
