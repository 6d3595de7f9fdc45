import type { Duplex } from 'node:stream';

/** The unit of communication between the two processes: a small JSON head, then a binary body. */
export interface Frame {
  readonly head: unknown;
  readonly body: Uint8Array;
}

/** Two unsigned numbers of 32 bits: the length of the head, that of the body. */
const LENGTHS_BYTES = 8;

export function writeFrame(channel: Duplex, { head, body }: Frame): void {
  const text = Buffer.from(JSON.stringify(head));
  const lengths = Buffer.alloc(LENGTHS_BYTES);
  lengths.writeUInt32LE(text.length, 0);
  lengths.writeUInt32LE(body.length, 4);
  channel.cork();
  for (const part of [lengths, text, body]) if (part.length > 0) channel.write(part);
  channel.uncork();
}

type Stage = 'lengths' | 'head' | 'body';

/** Assembles frames from chunks of any size. Each byte is copied once, into a buffer of the final size. */
export class FrameReader {
  #stage: Stage = 'lengths';
  #part = Buffer.allocUnsafe(LENGTHS_BYTES);
  #filled = 0;
  #bodyBytes = 0;
  #head: unknown;

  constructor(private readonly take: (frame: Frame) => void) {}

  push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length;) {
      const copied = chunk.copy(this.#part, this.#filled, at);
      at += copied;
      this.#filled += copied;
      while (this.#filled === this.#part.length) this.#next(this.#part);
    }
  }

  #next(part: Buffer): void {
    switch (this.#stage) {
      case 'lengths':
        this.#bodyBytes = part.readUInt32LE(4);
        return this.#expect('head', part.readUInt32LE(0));
      case 'head':
        this.#head = JSON.parse(part.toString());
        return this.#expect('body', this.#bodyBytes);
      case 'body':
        this.#expect('lengths', LENGTHS_BYTES);
        return this.take({ head: this.#head, body: part });
    }
  }

  #expect(stage: Stage, length: number): void {
    this.#stage = stage;
    this.#part = Buffer.allocUnsafe(length);
    this.#filled = 0;
  }
}
