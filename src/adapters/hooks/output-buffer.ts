import { StringDecoder } from 'node:string_decoder';
import { withoutSplitPair } from '../../core/message/text.js';

/** Keeps the beginning of a text that comes in pieces, and counts the rest. */
export class OutputBuffer {
  private kept = '';
  private characters = 0;
  private readonly decoder = new StringDecoder('utf8');

  constructor(private readonly limit: number) {}

  /** Characters seen so far, kept or not. */
  get length(): number {
    return this.characters;
  }

  add(chunk: Uint8Array): void {
    this.append(this.decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)));
  }

  /** The beginning of the text. After this nothing may be added. */
  end(): string {
    this.append(this.decoder.end());
    return this.kept;
  }

  private append(text: string): void {
    this.characters += text.length;
    if (this.kept.length < this.limit) this.kept += text.slice(0, this.limit - this.kept.length);
  }
}

/** The first `limit` characters, then a notice of how many were left out. `total`: the length of the whole where `text` is only its beginning. */
export function cut(text: string, limit: number, total: number = text.length): string {
  if (total <= limit) return text;
  const beginning = withoutSplitPair(text.slice(0, limit));
  return `${beginning}\n[Output cut after ${beginning.length} characters: ${total - beginning.length} more were left out]`;
}
