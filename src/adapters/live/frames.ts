/**
 * A batch goes over the wire in frames, `sender batch index/count text`, none longer than the wire can carry. The
 * batch's number makes every frame of a sender different: Postgres delivers equal notifications of one transaction once.
 */

const HEADER_BYTES = 80;

const FRAME = /^(\S{1,40}) (\d{1,16}) (\d{1,7})\/(\d{1,7}) ([^]*)$/;

export function toFrames(sender: string, batch: number, body: string, frameBytes: number): readonly string[] {
  const pieces = split(body, frameBytes - HEADER_BYTES);
  return pieces.map((piece, index) => `${sender} ${batch} ${index}/${pieces.length} ${piece}`);
}

export interface ReceivedBatch {
  readonly sender: string;
  readonly body: string;
}

/** Puts batches together again. A batch of which a frame is missing is never completed. */
export class FrameReader {
  /** Per sender the batch that is arriving; its frames come in order and without another batch's between. */
  readonly #arriving = new Map<string, { readonly batch: string; readonly pieces: string[] }>();

  /** The whole batch with its last frame, else null. Throws when the text is not a frame. */
  read(frame: string): ReceivedBatch | null {
    const [, sender, batch, index, count, piece] = FRAME.exec(frame) ?? [];
    if (sender === undefined || batch === undefined || piece === undefined) throw new TypeError('not a live frame');
    if (count === '1') return { sender, body: piece };

    const arriving = index === '0' ? { batch, pieces: [] } : this.#arriving.get(sender);
    if (arriving?.batch !== batch || arriving.pieces.length !== Number(index)) {
      this.#arriving.delete(sender);
      return null;
    }
    arriving.pieces.push(piece);
    if (arriving.pieces.length < Number(count)) {
      this.#arriving.set(sender, arriving);
      return null;
    }
    this.#arriving.delete(sender);
    return { sender, body: arriving.pieces.join('') };
  }

  /** Forgets what had half arrived: the connection was lost, or the sender left. */
  forget(sender?: string): void {
    if (sender === undefined) this.#arriving.clear();
    else this.#arriving.delete(sender);
  }
}

/** Cuts between characters, so that every piece is valid UTF-8 of at most `room` bytes. */
function split(text: string, room: number): readonly string[] {
  const bytes = Buffer.from(text);
  if (bytes.length <= room) return [text];
  const pieces: string[] = [];
  for (let start = 0; start < bytes.length;) {
    let end = Math.min(start + room, bytes.length);
    while (end < bytes.length && isContinuation(bytes[end]!)) end -= 1;
    pieces.push(bytes.toString('utf8', start, end));
    start = end;
  }
  return pieces;
}

const isContinuation = (byte: number): boolean => (byte & 0b1100_0000) === 0b1000_0000;
