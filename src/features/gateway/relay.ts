import { once } from 'node:events';
import type { Response } from 'express';
import type { Failure } from '../../../packages/protocol/events/events.js';
import { loose } from '../../../packages/protocol/message/unknown-json.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { type AnswerHead, AnswerReader, CUT, type Outcome } from './answer-reader.js';
import { PieceDecoder } from './decoding.js';
import type { Spool } from './spool.js';
import { type Answered, answeredHeaders, valueOf } from './upstream.js';

/** What is done with an answer beside passing it on. */
export interface Recording {
  readonly spool: Spool | null;
  /** Resolves once the answer is in the log. Called once. */
  readonly record: (outcome: Outcome, providerRequestId: string | null) => Promise<void>;
  /** Called once with the id of the answer, as soon as it is known. */
  readonly named: (answerId: string) => void;
  /** Whether the last bytes wait for it. */
  readonly isAwaited: boolean;
}

export const CLIENT_GONE: Failure = { code: 'client_disconnected', message: 'The client closed the connection before the answer was over.' };

/** One answer on its way from the model API to the client: bytes go on as they come, and a copy of them is read. */
export class Relay {
  readonly #head: AnswerHead;
  readonly #reader: AnswerReader;
  readonly #decoder: PieceDecoder;
  #held: Buffer = Buffer.alloc(0);
  #recorded: Promise<void> | null = null;
  #isNamed = false;

  constructor(
    private readonly answered: Answered,
    private readonly response: Response,
    private readonly recording: Recording | null,
    /** Called with each piece. */
    private readonly onPiece: () => void,
  ) {
    this.#head = headOf(answered);
    this.#reader = new AnswerReader(this.#head);
    this.#decoder = new PieceDecoder(recording ? this.#head.encoding : null);
  }

  /** `whyCut`: what is known about an answer that ends early. */
  async run(whyCut: () => Failure | null): Promise<void> {
    const { response, recording } = this;
    try {
      recording?.spool?.begin(this.#head);
      response.writeHead(this.answered.status, answeredHeaders(this.answered.rawHeaders) as string[]);
      response.flushHeaders();
      for await (const piece of this.answered.body) {
        this.onPiece();
        recording?.spool?.write(piece);
        await this.#pass(piece);
      }
      await this.#record(null);
      response.end(this.#held);
    } catch (error) {
      const why = whyCut();
      try {
        await this.#record(why ?? { code: 'stream_cut', message: CUT });
      } finally {
        if (response.headersSent) response.destroy(); // a truncated response must not look complete
      }
      if (!response.headersSent && !response.destroyed) throw new DomainError('unavailable', 'The model API sent a response that cannot be passed on.');
      if (why === null && !isNetworkError(error)) throw error;
    } finally {
      this.#decoder.close();
    }
  }

  /** The last event of a stream, or the last piece of another answer, is held until the answer is in the log. */
  async #pass(piece: Buffer): Promise<void> {
    const { recording } = this;
    if (!recording?.isAwaited) {
      if (recording) await this.#read(piece);
      return this.#write(piece);
    }
    const last = await this.#read(piece);
    if (this.#reader.isStream) {
      if (last === null) return this.#write(piece);
      const from = this.#head.encoding === null ? last : 0;
      await this.#write(piece.subarray(0, from));
      await this.#record(null);
      return this.#write(piece.subarray(from));
    }
    await this.#write(this.#held);
    this.#held = piece;
  }

  async #read(piece: Buffer): Promise<number | null> {
    let last: number | null = null;
    const isReadable = await this.#decoder.decode(piece, (bytes) => {
      last = this.#reader.take(bytes) ?? last;
      if (this.#reader.isStopped) this.#decoder.close();
    });
    if (!isReadable) this.#reader.stop(`it is not valid ${this.#head.encoding}.`);
    const { answerId } = this.#reader;
    if (answerId !== null && !this.#isNamed) {
      this.#isNamed = true;
      this.recording?.named(answerId);
    }
    return last;
  }

  #record(why: Failure | null): Promise<void> {
    if (!this.recording) return Promise.resolve();
    this.#recorded ??= this.recording.record(this.#reader.end(why), this.#head.providerRequestId);
    this.#recorded.catch(() => undefined); // who waits for it has the error
    return this.recording.isAwaited || why !== null ? this.#recorded : Promise.resolve();
  }

  async #write(bytes: Buffer): Promise<void> {
    const { response } = this;
    if (bytes.length === 0) return;
    if (response.destroyed) throw new DomainError('unavailable', CLIENT_GONE.message);
    if (response.write(bytes)) return;
    const waiting = new AbortController();
    const { signal } = waiting;
    await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })]).finally(() => waiting.abort());
  }
}

export function headOf({ status, rawHeaders }: Answered): AnswerHead {
  const encoding = valueOf(rawHeaders, 'content-encoding')?.toLowerCase() ?? 'identity';
  return {
    status,
    contentType: valueOf(rawHeaders, 'content-type') ?? '',
    encoding: encoding === 'identity' ? null : encoding,
    providerRequestId: valueOf(rawHeaders, 'request-id') ?? null,
  };
}

/** What the connection to the model API may end with. */
const isNetworkError = (error: unknown): boolean => typeof loose(error)['code'] === 'string';
