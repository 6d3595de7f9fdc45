import type { Failure } from '../../../packages/protocol/events/events.js';
import type { ModelMessage } from '../../../packages/protocol/message/message.js';
import { loose } from '../../../packages/protocol/message/unknown-json.js';
import { typeOfStatus } from '../../engine/model/error-types.js';
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

/** Reads an answer while it goes to the client. Nothing here changes what the client gets. */
export class AnswerReader {
  readonly #stream = new AnswerStream();
  readonly #isStream: boolean;
  #bytes: Buffer = Buffer.alloc(0);
  #chunks: Buffer[] = [];
  #failure: Failure | null = null;

  constructor(private readonly head: AnswerHead) {
    this.#isStream = head.status < 300 && head.contentType.startsWith('text/event-stream');
  }

  get isStream(): boolean {
    return this.#isStream;
  }

  /** The place in these bytes at which the last event of the answer begins; null: it is not in them. */
  take(bytes: Buffer): number | null {
    if (!this.#isStream) {
      this.#chunks.push(bytes);
      return null;
    }
    const before = this.#bytes.length;
    const all = before === 0 ? bytes : Buffer.concat([this.#bytes, bytes]);
    let from = 0;
    let last: number | null = null;
    for (let end = endOfFrame(all, from); end !== -1; end = endOfFrame(all, from)) {
      if (this.#frame(all.toString('utf8', from, end))) last = Math.max(0, from - before);
      from = end;
    }
    this.#bytes = all.subarray(from);
    return last;
  }

  /** `why`: the answer ended early; null: it ended by itself. */
  end(why: Failure | null): Outcome {
    if (this.#isStream) return this.#streamed(why);
    const text = Buffer.concat(this.#chunks).toString();
    const { status } = this.head;
    const body = parsed(text);
    if (status >= 400) return { answer: null, failure: { ...this.#refused(body, text), ...this.#ids() } };
    if (why !== null) return { answer: null, failure: { ...why, ...this.#ids() } };
    if (body['role'] === 'assistant' && Array.isArray(body['content'])) return { answer: body as unknown as ModelMessage, failure: null };
    const message = `The model API answered ${status} with something else than a message: ${text.slice(0, QUOTED)}`;
    return { answer: null, failure: { code: 'api_error', message, status, ...this.#ids() } };
  }

  #streamed(why: Failure | null): Outcome {
    if (this.#stream.complete) return { answer: this.#stream.answer().message, failure: null };
    const failure = this.#failure ?? why ?? { code: 'stream_cut', message: CUT };
    return { answer: this.#stream.partial(), failure: { ...failure, ...this.#ids() } };
  }

  /** True for the last event of the answer. */
  #frame(text: string): boolean {
    const data = text
      .split(/\r\n|\n|\r/)
      .flatMap((line) => (line.startsWith('data:') ? [line.slice(5)] : []))
      .join('\n');
    if (data.trim() === '' || this.#stream.complete) return false;
    try {
      this.#stream.take(JSON.parse(data) as StreamEvent);
    } catch (error) {
      if (error instanceof StreamFault) this.#failure ??= { code: error.code, message: error.message };
      else if (!(error instanceof SyntaxError)) throw error;
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

/** Index after the empty line that ends a frame; -1: the frame is not complete. */
function endOfFrame(bytes: Buffer, from: number): number {
  const ends = ['\n\n', '\r\n\r\n'].map((mark) => ({ at: bytes.indexOf(mark, from), length: mark.length })).filter(({ at }) => at !== -1);
  const [first] = ends.toSorted((one, other) => one.at - other.at);
  return first ? first.at + first.length : -1;
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return loose(JSON.parse(text));
  } catch {
    return {};
  }
}
