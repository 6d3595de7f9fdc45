/**
 * A batch is sent in frames, `sender batch index/count text`, each within the transport's maximum size. The batch number makes all frames of a sender distinct,
 * because Postgres delivers equal notifications of one transaction only once.
 */

const HEADER_BYTES = 80;

const FRAME = /^(\S{1,40}) (\d{1,16}) (\d{1,7})\/(\d{1,7}) ([^]*)$/;

export function toFrames(sender: string, batch: number, body: string, frameBytes: number): readonly string[] {
  const texts = split(body, frameBytes - HEADER_BYTES);
  return texts.map((text, index) => `${sender} ${batch} ${index}/${texts.length} ${text}`);
}

export interface ReceivedBatch {
  readonly sender: string;
  readonly body: string;
}

/** Reassembles batches. A batch with a missing frame is dropped. */
export class FrameReader {
  /** Per topic and sender the incomplete batch; its frames arrive in order and not interleaved with another batch. */
  readonly #arriving = new Map<string, { readonly batch: string; readonly texts: string[] }>();

  /** Returns the batch with its last frame, until then null. Throws when the text is not a frame. */
  read(topic: string, frame: string): ReceivedBatch | null {
    const [, sender, batch, index, count, text] = FRAME.exec(frame) ?? [];
    if (sender === undefined || batch === undefined || text === undefined) throw new TypeError('The text is not a frame of a live batch');
    if (count === '1') return { sender, body: text };
    const key = `${sender} ${topic}`;

    const arriving = index === '0' ? { batch, texts: [] } : this.#arriving.get(key);
    if (arriving?.batch !== batch || arriving.texts.length !== Number(index)) {
      this.#arriving.delete(key);
      return null;
    }
    arriving.texts.push(text);
    if (arriving.texts.length < Number(count)) {
      this.#arriving.set(key, arriving);
      return null;
    }
    this.#arriving.delete(key);
    return { sender, body: arriving.texts.join('') };
  }

  /** Drops incomplete batches, of all senders or of one that has left. */
  reset(sender?: string): void {
    for (const key of this.#arriving.keys()) if (sender === undefined || key.startsWith(`${sender} `)) this.#arriving.delete(key);
  }
}

/** Splits between characters, so that each is valid UTF-8 of at most `room` bytes. */
function split(text: string, room: number): readonly string[] {
  const bytes = Buffer.from(text);
  if (bytes.length <= room) return [text];
  const texts: string[] = [];
  for (let start = 0; start < bytes.length;) {
    let end = Math.min(start + room, bytes.length);
    while (end < bytes.length && isContinuation(bytes[end]!)) end -= 1;
    texts.push(bytes.toString('utf8', start, end));
    start = end;
  }
  return texts;
}

const isContinuation = (byte: number): boolean => (byte & 0b1100_0000) === 0b1000_0000;
