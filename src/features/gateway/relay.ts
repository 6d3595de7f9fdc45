import { once } from 'node:events';
import type { Transform } from 'node:stream';
import type { Response } from 'express';
import type { Failure } from '../../../packages/protocol/events/events.js';
import { loose } from '../../../packages/protocol/message/unknown-json.js';
import { DomainError } from '../../../packages/protocol/errors.js';
import { type AnswerHead, AnswerReader, CUT, type Outcome } from './answer-reader.js';
import { decoderOf } from './decoding.js';
import type { Spool } from './spool.js';
import { type Answered, answeredHeaders, valueOf } from './upstream.js';

/** What is done with an answer beside passing it on. */
export interface Recording {
  readonly spool: Spool | null;
  /** Resolves once the answer is in the log. Called once. */
  readonly record: (outcome: Outcome, providerRequestId: string | null) => Promise<void>;
  /** Whether the last bytes wait for it. */
  readonly isAwaited: boolean;
}

export const CLIENT_GONE: Failure = { code: 'client_disconnected', message: 'The client closed the connection before the answer was over.' };

/** One answer on its way from the model API to the client: bytes go on as they come, and a copy of them is read. */
export class Relay {
  readonly #head: AnswerHead;
  readonly #reader: AnswerReader;
  readonly #decoder: Transform | null;
  #held: Buffer = Buffer.alloc(0);
  #recorded: Promise<void> | null = null;

  constructor(
    private readonly answered: Answered,
    private readonly response: Response,
    private readonly recording: Recording | null,
    /** Called with each piece. */
    private readonly onPiece: () => void,
  ) {
    this.#head = headOf(answered);
    this.#reader = new AnswerReader(this.#head);
    this.#decoder = recording ? decoderOf(this.#head.encoding) : null;
    this.#decoder?.on('error', () => undefined); // of a stream that is cut, what came is read
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
      await this.#record(why ?? { code: 'stream_cut', message: CUT });
      response.destroy(); // a truncated response must not look complete
      if (why === null && !isNetworkError(error)) throw error;
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
      const from = this.#decoder ? 0 : last;
      await this.#write(piece.subarray(0, from));
      await this.#record(null);
      return this.#write(piece.subarray(from));
    }
    await this.#write(this.#held);
    this.#held = piece;
  }

  async #read(piece: Buffer): Promise<number | null> {
    const decoder = this.#decoder;
    if (!decoder) return this.#reader.take(piece);
    let last: number | null = null;
    const take = (bytes: Buffer): void => {
      last = this.#reader.take(bytes) ?? last;
    };
    decoder.on('data', take);
    await new Promise<void>((resolve) => decoder.write(piece, () => resolve()));
    decoder.off('data', take);
    return last;
  }

  #record(why: Failure | null): Promise<void> {
    if (!this.recording) return Promise.resolve();
    this.#recorded ??= this.recording.record(this.#reader.end(why), this.#head.providerRequestId);
    return this.recording.isAwaited || why !== null ? this.#recorded : Promise.resolve();
  }

  async #write(bytes: Buffer): Promise<void> {
    const { response } = this;
    if (bytes.length === 0) return;
    if (response.destroyed) throw new DomainError('unavailable', CLIENT_GONE.message);
    if (!response.write(bytes)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
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
