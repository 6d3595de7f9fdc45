import type { Frame } from '../../http/stream/frame.js';
import type { LiveFrame, StreamFormat } from '../../http/stream/stream-format.js';
import type { Chunk } from './chunks.js';
import type { TurnChunks } from './turn-chunks.js';

export const UI_STREAM_HEADERS = { 'x-vercel-ai-ui-message-stream': 'v1' } as const;

export const DONE = 'data: [DONE]\n\n';

export const chunkText = (chunks: readonly Chunk[]): string => chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');

/**
 * What is sent of the chunks of a turn: version 6 of the AI SDK rejects a stream with a chunk that it does not know, such as the answer to an approval. That a call is
 * approved is told by its input once more, which ends the question; the client that has answered knows it, and a rejected call is denied by another chunk.
 */
export class SentChunks {
  readonly #inputs = new Map<string, Chunk>();

  of(chunks: readonly Chunk[]): readonly Chunk[] {
    return chunks.flatMap((chunk): readonly Chunk[] => {
      if (chunk.type === 'tool-input-available') this.#inputs.set(chunk.toolCallId, chunk);
      if (chunk.type !== 'tool-approval-response') return [chunk];
      const input = this.#inputs.get(chunk.approvalId);
      return chunk.approved && input ? [input] : [];
    });
  }
}

/** One turn as a UI message stream, which ends when the turn is over or waits for the client. */
export class UiFormat implements StreamFormat {
  readonly isShared = false;
  readonly headers = UI_STREAM_HEADERS;
  readonly cutsOff = true;
  readonly #sent = new SentChunks();

  constructor(
    private readonly turn: TurnChunks,
    private readonly start: Chunk,
  ) {}

  get opening(): string {
    return chunkText([this.start]);
  }

  stored({ event }: Frame): string {
    return chunkText(this.#sent.of(this.turn.stored(event)));
  }

  live({ type, data }: LiveFrame): string {
    return chunkText(this.#sent.of(this.turn.live(type, data)));
  }

  synced(): string {
    return '';
  }

  closing(): string | null {
    const chunks = this.turn.closing;
    return chunks && chunkText(chunks) + DONE;
  }
}
