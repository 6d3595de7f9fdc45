import type { ProviderError } from '../../../packages/normalizer/provider-rejection.js';
import { loose } from '../../../packages/protocol/message/unknown-json.js';
import { AnswerReader, type Outcome } from './answer-reader.js';
import { decoded, READABLE } from './decoding.js';
import { headOf } from './relay.js';
import type { Answered } from './upstream.js';

/** Bytes of a refusal that are read to understand it. A longer one is passed on as it comes. */
const MOST_BYTES = 256 * 1024;

/** A refusal that was read, and can still be passed on as it came. */
export interface HeldAnswer {
  readonly answered: Answered;
  /** What it says as a whole; null: it is not an error of the model API, or too long to be one. */
  readonly refusal: { readonly error: ProviderError; readonly outcome: Outcome; readonly bytes: Buffer } | null;
}

/** Reads a short answer as a whole. `onPiece` is called with each piece. */
export async function heldAnswer(answered: Answered, onPiece: () => void): Promise<HeldAnswer> {
  const head = headOf(answered);
  const pieces: Buffer[] = [];
  const source = answered.body[Symbol.asyncIterator]();
  let bytes = 0;
  let isOver = false;
  let failure: unknown = null;
  try {
    while (!isOver && bytes <= MOST_BYTES) {
      const next = await source.next();
      isOver = next.done === true;
      if (next.done) break;
      onPiece();
      pieces.push(next.value);
      bytes += next.value.length;
    }
  } catch (error) {
    failure = error;
  }
  const again = async function* (): AsyncGenerator<Buffer> {
    yield* pieces;
    if (failure !== null) throw failure;
    if (!isOver) yield* { [Symbol.asyncIterator]: () => source };
  };
  const held = { ...answered, body: again() };
  if (!isOver || !READABLE.has(head.encoding ?? 'identity')) return { answered: held, refusal: null };
  try {
    const whole = Buffer.concat(pieces);
    const plain = decoded(whole, head.encoding ?? 'identity', MOST_BYTES);
    const error = errorIn(plain.toString());
    if (!error) return { answered: held, refusal: null };
    const reader = new AnswerReader({ ...head, encoding: null });
    reader.take(plain);
    return { answered: held, refusal: { error, outcome: reader.end(null), bytes: whole } };
  } catch {
    return { answered: held, refusal: null }; // it is not coded as it says
  }
}

function errorIn(text: string): ProviderError | null {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return null;
  }
  const { message, details } = loose(loose(body)['error']);
  if (typeof message !== 'string') return null;
  const { error_code: errorCode, paths } = loose(details);
  const named = Array.isArray(paths) ? paths.filter((path) => typeof path === 'string') : [];
  return { status: 400, message, details: typeof errorCode === 'string' ? { errorCode, ...(named.length > 0 ? { paths: named } : {}) } : null };
}
